import { hasOtherColumns, isNotPrepared } from "../errors.ts";

/** A text is named when it is used again and again: statements with lists have many texts. */
const unnamedUses = 4;
/** Each connection keeps the plan of each name. */
const maxNames = 1_000;
const maxUnnamed = 5_000;

/** Names the statements of a pool. PostgreSQL parses and plans one with a name once per connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  /** Part of the names, so that all statements are prepared again after the tables changed. */
  #tables = 0;
  /** Whether the pooler in front of PostgreSQL knows which connection has prepared which statement. */
  #areSupported = true;

  constructor(private readonly warn: (message: string, error: unknown) => void) {}

  /** Returns undefined for a statement that is planned at each use. */
  of(text: string): string | undefined {
    if (!this.#areSupported) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses <= unnamedUses || this.#names.size >= maxNames) {
      if (this.#uses.size >= maxUnnamed) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `tollgate_${this.#tables}_${Bun.hash(text).toString(36)}`;
    this.#names.set(text, name);
    return name;
  }

  /** Whether a statement failed because it has that name. It succeeds when its transaction is repeated. */
  failed(name: string, error: unknown): boolean {
    if (isNotPrepared(error)) {
      if (this.#areSupported)
        this.warn(
          "the pooler in front of PostgreSQL does not support prepared statements, so each statement is planned again; " +
            "use PgBouncer 1.21 or later with max_prepared_statements",
          undefined,
        );
      this.#areSupported = false;
      return true;
    }
    if (!hasOtherColumns(error)) return false;
    // Statements that fail together prepare once.
    if (name.startsWith(`tollgate_${this.#tables}_`)) {
      this.#tables += 1;
      this.#names.clear();
    }
    return true;
  }
}
