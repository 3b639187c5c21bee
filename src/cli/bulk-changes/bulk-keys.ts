import { hash } from "node:crypto";
import { type ApiKey, type ApiKeyCreate, type Fetch, type Tollgate, TollgateError } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { time } from "../arguments/values.ts";
import type { Target } from "../connection/connect.ts";
import { connectTo } from "../connection/remote.ts";
import { showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { type BulkItem, listCell, readBulkFile } from "./bulk-file.ts";
import { BulkRun, isItemError, reasonOf } from "./bulk-run.ts";

/** The responses that the server replayed, recognized by a header. */
class Replays {
  readonly #keys = new Set<string>();

  /** The fetch function for the client. */
  readonly fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const key = new Headers(init.headers).get("idempotency-key");
    if (key !== null && response.headers.get("idempotency-replayed") === "true") this.#keys.add(key);
    return response;
  };

  has(idempotencyKey: string): boolean {
    return this.#keys.has(idempotencyKey);
  }
}

/** The API's maximum number of keys per request. */
const chunkSize = 1000;

const columns = {
  consumer: String,
  key: String,
  description: String,
  expiresOn: time.parse,
  permissions: listCell,
  allowedIps: listCell,
};

interface BulkKeys {
  file: string;
  bucket: string;
  consumer: string | undefined;
  again: boolean;
  json: boolean;
  target: Target;
}

type MadeKey = ApiKey & { consumer: string };

export async function createKeysFromFile(options: BulkKeys, context: Context): Promise<number> {
  const items = await readBulkFile(options.file, columns, context.terminal);
  const byConsumer = Map.groupBy(items, (item) => consumerOf(item, options.consumer));
  const replays = new Replays();
  const client = await connectTo(options.target, context, { fetch: replays.fetch });
  const run = new BulkRun(context.terminal, items.length);
  const sender = new KeySender(client, options, replays, run);
  const broken = await sender.sendAll(byConsumer).catch((error: unknown) => error);
  // Prints the keys even after a lost connection: their values are not shown again.
  run.pause();
  show(sender.keys, options.json, context);
  const exitCode = run.finish();
  if (broken !== undefined) throw broken;
  return exitCode;
}

class KeySender {
  readonly keys: MadeKey[] = [];

  constructor(
    private readonly client: Tollgate,
    private readonly options: BulkKeys,
    private readonly replays: Replays,
    private readonly run: BulkRun,
  ) {}

  async sendAll(byConsumer: Map<string, BulkItem[]>): Promise<void> {
    for (const [consumer, items] of byConsumer) {
      const existing = await this.client
        .keys(this.options.bucket, consumer)
        .list({ keyFormat: "none" })
        .all()
        .catch((error: unknown) => this.#rejected(items, consumer, error));
      if (existing) await this.#sendTo(consumer, items, existing);
    }
  }

  /** Lines are matched with existing keys by value or description; lines with neither only as a whole file. */
  async #sendTo(consumer: string, items: BulkItem[], existing: ApiKey[]): Promise<void> {
    const described = new Set(existing.map(({ description }) => description as unknown));
    const isThere = ({ fields }: BulkItem) =>
      !this.options.again && fields.key === undefined && described.has(fields.description);
    const isNamed = ({ fields }: BulkItem) => fields.key !== undefined || fields.description !== undefined;
    const named = items.filter(isNamed);
    this.run.existing(named.filter(isThere).length);
    for (const chunk of chunksOf(named.filter((item) => !isThere(item)))) await this.#send(consumer, chunk);

    const ids = new Set(existing.map(({ id }) => id));
    const nameless = [...chunksOf(items.filter((item) => !isNamed(item)))];
    for (const [number, chunk] of nameless.entries()) await this.#sendNameless(consumer, chunk, number, ids);
  }

  /**
   * The idempotency key is derived from the lines, so the server recognizes a repeated request for a day. The chunk
   * number distinguishes equal chunks.
   */
  async #sendNameless(consumer: string, items: BulkItem[], number: number, existing: Set<string>): Promise<void> {
    const { bucket, again } = this.options;
    const lines = items.map(({ source }) => source);
    const content = JSON.stringify([again ? crypto.randomUUID() : "", bucket, consumer, number, lines]);
    const idempotencyKey = hash("sha256", content);
    const keys = await this.#create(consumer, items, idempotencyKey).catch((error: unknown) =>
      isSentBefore(error) ? this.run.existing(items.length) : this.#rejected(items, consumer, error),
    );
    if (!keys) return;
    if (!this.replays.has(idempotencyKey)) return this.#made(consumer, keys);
    const isAlive = (index: number) => existing.has(keys[index]!.id);
    this.run.existing(items.filter((_, index) => isAlive(index)).length);
    this.#keep(
      consumer,
      keys.filter((_, index) => isAlive(index)),
    );
    // Keys that were deleted in the meantime are created again.
    await this.#send(
      consumer,
      items.filter((_, index) => !isAlive(index)),
    );
  }

  /** A chunk is created completely or not at all. Invalid items are removed and the rest is sent again. */
  async #send(consumer: string, items: BulkItem[]): Promise<void> {
    let rest = items;
    while (rest.length > 0) {
      const left = await this.#try(consumer, rest);
      if (left.length === rest.length) return this.run.failed(rest, "is rejected with the others of its chunk");
      rest = left;
    }
  }

  /** Returns the items that remain to be created. */
  async #try(consumer: string, items: BulkItem[]): Promise<BulkItem[]> {
    try {
      this.#made(consumer, await this.#create(consumer, items));
      return [];
    } catch (error) {
      if (!isItemError(error)) throw error;
      return this.#sort(error as TollgateError, consumer, items);
    }
  }

  async #sort(error: TollgateError, consumer: string, items: BulkItem[]): Promise<BulkItem[]> {
    if (error.code === "key_exists" && error.errors.length === 0) return this.#withoutExisting(consumer, items);
    const byIndex = Map.groupBy(error.errors, ({ pointer }) => Number(pointer.split("/")[1]));
    if (error.errors.length === 0 || byIndex.has(Number.NaN)) {
      this.#rejected(items, consumer, error);
      return [];
    }
    for (const [index, errors] of byIndex) {
      const shown = errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/\d+/, ""), detail }));
      this.run.failed([items[index]!], reasonOf(new TollgateError({ ...error, errors: shown })));
    }
    return items.filter((_, index) => !byIndex.has(index));
  }

  /** The error does not name the duplicate, so each value is looked up. */
  async #withoutExisting(consumer: string, items: BulkItem[]): Promise<BulkItem[]> {
    const unknown: BulkItem[] = [];
    for (const item of items) {
      const { key } = bodyOf(item);
      const found = key === undefined ? undefined : await this.client.verifyKey(this.options.bucket, key);
      if (!found || (!found.valid && found.code !== "expired")) unknown.push(item);
      else if (found.valid && found.consumer.name !== consumer)
        this.run.failed([item], `the key belongs to ${found.consumer.name}`);
      else this.run.existing(1);
    }
    return unknown;
  }

  /** All items failed for the same reason. */
  #rejected(items: BulkItem[], consumer: string, error: unknown): undefined {
    if (!isItemError(error)) throw error;
    this.run.failed(items, `${consumer}: ${reasonOf(error as TollgateError)}`);
  }

  #create(consumer: string, items: BulkItem[], idempotencyKey?: string): Promise<ApiKey[]> {
    return this.client.keys(this.options.bucket, consumer).createMany(items.map(bodyOf), { idempotencyKey });
  }

  #made(consumer: string, keys: ApiKey[]): void {
    this.run.created(keys.length);
    this.#keep(consumer, keys);
  }

  #keep(consumer: string, keys: ApiKey[]): void {
    this.keys.push(...keys.map((key) => ({ consumer, ...key })));
  }
}

/**
 * The same lines make a different request, because `30d` resolves to a later time. The keys exist already and cannot be
 * shown again.
 */
function isSentBefore(error: unknown): boolean {
  return error instanceof TollgateError && error.code === "idempotency_key_reused";
}

function bodyOf({ fields: { consumer: _, ...key } }: BulkItem): ApiKeyCreate {
  return key as ApiKeyCreate;
}

function* chunksOf(items: BulkItem[]): Generator<BulkItem[]> {
  for (let at = 0; at < items.length; at += chunkSize) yield items.slice(at, at + chunkSize);
}

function consumerOf({ place, fields: { consumer = undefined } }: BulkItem, given: string | undefined): string {
  const name = consumer ?? given;
  if (typeof name === "string" && name !== "") return name;
  throw new UsageError(
    `${place}: the consumer is missing`,
    "Add a column consumer, or name one: tollgate keys create <consumer> --file …",
  );
}

function show(keys: MadeKey[], json: boolean, { terminal }: Context): void {
  if (json) {
    const data = keys.map(({ consumer: _, ...key }) => key);
    terminal.printJson({ data, limit: data.length, offset: 0, total: data.length });
  } else {
    showList(terminal, keys, ["consumer", "id", "key", "description", "expiresOn"]);
  }
}
