const attributes = "target_session_attrs";
/** Tollgate looks for the primary, or for a standby where it needs one, whatever is given. */
const knownAttributes = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"];

/**
 * Parses `postgres://user:password@host1:5432,host2:5432/name`, as libpq does. Returns an address for each host, or
 * undefined if the text is not such an address.
 */
export function parsePostgresUrl(text: string): string[] | undefined {
  const match = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(text);
  if (!match) return undefined;
  const [, scheme, user, hosts, rest] = match;
  const urls = hosts!.split(",").map((host) => withoutAttributes(`${scheme}${user}${host}${rest}`));
  const isValid = hosts!.split(",").every((host) => host !== "" || urls.length === 1);
  return isValid && urls.every((url) => url !== undefined) ? urls : undefined;
}

function withoutAttributes(text: string): string | undefined {
  const url = URL.parse(text);
  const given = url?.searchParams.get(attributes);
  if (!url || (given && !knownAttributes.includes(given))) return undefined;
  if (!given) return text;
  url.searchParams.delete(attributes);
  return url.href;
}

/** The servers of one database, of which one is the primary. */
export class PostgresHosts {
  readonly #urls: string[];
  #index = 0;

  constructor(url: string) {
    this.#urls = parsePostgresUrl(url) ?? [url];
  }

  /** The address of the server that was used last. */
  get current(): string {
    return this.#urls[this.#index]!;
  }

  get areSeveral(): boolean {
    return this.#urls.length > 1;
  }

  /** Hosts and database, without user and password. */
  get place(): string {
    const { pathname } = new URL(this.current);
    return this.#urls.map((url) => new URL(url).host).join(",") + pathname;
  }

  /** The next connection leads to the next host. */
  failed(url: string): void {
    if (url === this.current) this.#index = (this.#index + 1) % this.#urls.length;
  }

  /** Opens a connection to the first host for which that succeeds, beginning with the one that was used last. */
  async connect<Connection>(open: (url: string) => Promise<Connection>): Promise<Connection> {
    const errors: Error[] = [];
    for (const _ of this.#urls) {
      const url = this.current;
      try {
        return await open(url);
      } catch (error) {
        errors.push(error as Error);
        this.failed(url);
      }
    }
    if (errors.length === 1) throw errors[0];
    throw new AggregateError(errors, errors.map(({ message }) => message).join("; "));
  }
}
