const storageKey = "tollgate-recently-opened";
const maxKept = 30;

function read(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** What this person opened from the search, the newest first. */
export const recentlyOpened = {
  add(id: string): void {
    const ids = [id, ...read().filter((each) => each !== id)].slice(0, maxKept);
    try {
      localStorage.setItem(storageKey, JSON.stringify(ids));
    } catch {
      // The storage is full or disabled: results keep the order of the server.
    }
  },

  /** Sorts what was opened recently before the rest, which keeps its order. */
  first<Item extends { id: string }>(items: Item[]): Item[] {
    const ids = read();
    const position = ({ id }: Item) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
    return items.toSorted((one, other) => position(one) - position(other));
  },
};
