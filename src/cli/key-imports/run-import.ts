import { type ApiKeyCreate, type Tollgate, TollgateError } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { tagValue, time } from "../arguments/values.ts";
import { type BulkItem, fromCsv, listCell, readWith } from "../bulk-changes/bulk-file.ts";
import { BulkRun, isItemError, reasonOf, severalAtOnce } from "../bulk-changes/bulk-run.ts";
import type { Target } from "../connection/connect.ts";
import { connectTo, ifFound } from "../connection/remote.ts";
import { printable } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { consumerName, fromValue, type ImportedConsumer, type ImportedFile } from "./imported.ts";
import { readKong } from "./kong.ts";
import { readZuplo } from "./zuplo.ts";

const columns = {
  consumer: String,
  "tags.*": tagValue,
  key: String,
  sha256: String,
  suffix: String,
  description: String,
  expiresOn: time.parse,
  permissions: listCell,
  allowedIps: listCell,
};

interface Fields extends Omit<ApiKeyCreate, "key" | "hash"> {
  consumer?: string;
  tags?: Record<string, string | number | boolean>;
  key?: string;
  sha256?: string;
}

/** Reads one key per line. Lines with the same consumer are keys of one consumer; a line without a key has only the consumer. */
function readCsv(text: string): ImportedFile {
  const byName = new Map<string, ImportedConsumer>();
  for (const item of fromCsv(text, columns)) addLine(byName, item);
  return { consumers: [...byName.values()], omitted: [] };
}

function addLine(byName: Map<string, ImportedConsumer>, { place, fields }: BulkItem): void {
  const { consumer, tags, key, sha256, ...rest } = fields as Fields;
  if (consumer === undefined)
    throw new UsageError(`${place}: the consumer is missing`, "The column consumer has its name.");
  if (key !== undefined && sha256 !== undefined)
    throw new UsageError(`${place}: has both key and sha256; one of them identifies the key.`);
  let imported = byName.get(consumer);
  if (!imported) {
    imported = { place, originalName: consumer, consumer: { name: consumerName(consumer) }, keys: [] };
    byName.set(consumer, imported);
  }
  if (tags) imported.consumer.tags = { ...imported.consumer.tags, ...tags };
  if (key !== undefined) imported.keys.push({ ...rest, ...fromValue(key) });
  else if (sha256 !== undefined) imported.keys.push({ ...rest, hash: { sha256 } });
  else if (Object.keys(rest).length > 0)
    throw new UsageError(`${place}: has fields of a key, and neither key nor sha256.`);
}

const readers = { zuplo: readZuplo, kong: readKong, csv: readCsv };
export type ImportFormat = keyof typeof readers;
export const importFormats = Object.keys(readers) as ImportFormat[];

const maxListed = 20;
/** The API's maximum number of keys for a new consumer. */
const maxKeysOfRequest = 1000;

interface ImportOptions {
  format: ImportFormat;
  file: string;
  bucket: string;
  isDryRun: boolean;
  json: boolean;
  target: Target;
}

export async function runImport(options: ImportOptions, context: Context): Promise<number> {
  const { terminal } = context;
  const file = await readImport(options.format, options.file, terminal);
  rejectSameNames(file.consumers, options.file);
  const client = await connectTo(options.target, context);
  if (options.isDryRun) return describe(client, file, options, terminal);
  listOmitted(file.omitted, terminal);
  const run = new BulkRun(terminal, file.consumers.length);
  const sender = new ImportSender(client, options.bucket, run);
  const failure = await severalAtOnce(file.consumers, (consumer) => sender.send(consumer));
  const exitCode = run.finish();
  const keys = { created: sender.created, existing: sender.existing };
  terminal.note(`Keys: ${keys.created} created, ${keys.existing} existing.`);
  listRenamed(file.consumers, terminal);
  if (options.json) terminal.printJson({ consumers: file.consumers.length, keys, omitted: file.omitted });
  if (failure) throw failure.reason;
  return exitCode;
}

async function readImport(format: ImportFormat, path: string, terminal: Terminal): Promise<ImportedFile> {
  return readWith(path, terminal, (text) => {
    const file = readers[format](text);
    if (file.consumers.length === 0) throw new UsageError("it contains no consumers.");
    return file;
  });
}

/** Rejects names that would merge two consumers, which would then share their keys. */
function rejectSameNames(consumers: ImportedConsumer[], path: string): void {
  const byName = new Map<string, ImportedConsumer>();
  for (const one of consumers) {
    const { name } = one.consumer;
    if (name === "")
      throw new UsageError(
        `${path}: ${one.place}: "${one.originalName}" has no letter or digit for a consumer's name.`,
      );
    const other = byName.get(name);
    if (other)
      throw new UsageError(
        `${path}: "${other.originalName}" and "${one.originalName}" would both become the consumer ${name}.`,
        "Rename one of them in the file.",
      );
    byName.set(name, one);
  }
}

/** Prints what an import would do. Nothing is changed. */
async function describe(
  client: Tollgate,
  { consumers, omitted }: ImportedFile,
  { bucket, json }: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  const existing = new Set<string>();
  const failure = await severalAtOnce(consumers, async ({ consumer: { name } }) => {
    if (await ifFound(client.consumers(bucket).get(name))) existing.add(name);
  });
  if (failure) throw failure.reason;
  const keys = consumers.flatMap((consumer) => consumer.keys);
  const byHash = keys.filter(({ hash }) => hash !== undefined).length;
  if (json) {
    const counts = { consumers: consumers.length, existing: existing.size, keys: keys.length, byHash };
    terminal.printJson({ ...counts, omitted });
    return 0;
  }
  terminal.print(`${consumers.length - existing.size} consumers to create, ${existing.size} existing.`);
  terminal.print(`${keys.length} keys: ${keys.length - byHash} with their value, ${byHash} by hash.`);
  listOmitted(omitted, terminal);
  listRenamed(consumers, terminal);
  terminal.note("Nothing was changed: this was a dry run.");
  return 0;
}

function listOmitted(omitted: string[], terminal: Terminal): void {
  if (omitted.length > 0) listLines(`${omitted.length} omitted:`, omitted, terminal);
}

function listRenamed(consumers: ImportedConsumer[], terminal: Terminal): void {
  const renamed = consumers.filter(({ originalName, consumer }) => originalName !== consumer.name);
  if (renamed.length === 0) return;
  const lines = renamed.map(({ originalName, consumer }) => `${originalName} → ${consumer.name}`);
  listLines(`${renamed.length} renamed; upstreams receive the new name:`, lines, terminal);
}

function listLines(title: string, lines: string[], terminal: Terminal): void {
  terminal.note(title);
  for (const line of lines.slice(0, maxListed)) terminal.note(`  ${printable(line)}`);
  if (lines.length > maxListed) terminal.note(`  … and ${lines.length - maxListed} more`);
}

/** Creates each consumer with its first keys in one request. Further keys, and those of consumers that exist, are added one by one. */
class ImportSender {
  created = 0;
  existing = 0;

  constructor(
    private readonly client: Tollgate,
    private readonly bucket: string,
    private readonly run: BulkRun,
  ) {}

  async send(imported: ImportedConsumer): Promise<void> {
    const { consumer, keys } = imported;
    const [first, rest] = [keys.slice(0, maxKeysOfRequest), keys.slice(maxKeysOfRequest)];
    try {
      await this.client.consumers(this.bucket).create({ ...consumer, apiKeys: first });
      this.created += first.length;
      await this.#add(consumer.name, rest);
      this.run.created(1);
    } catch (error) {
      if (!isItemError(error)) throw error;
      if (error.code === "consumer_exists") await this.#addMissingKeys(imported);
      else this.#failed(imported, error);
    }
  }

  async #addMissingKeys(imported: ImportedConsumer): Promise<void> {
    try {
      await this.#add(imported.consumer.name, imported.keys);
      this.run.existing(1);
    } catch (error) {
      if (!isItemError(error)) throw error;
      this.#failed(imported, error);
    }
  }

  async #add(consumer: string, keys: ApiKeyCreate[]): Promise<void> {
    const client = this.client.keys(this.bucket, consumer);
    for (const key of keys) {
      try {
        await client.create(key);
        this.created++;
      } catch (error) {
        if (!(error instanceof TollgateError) || error.code !== "key_exists") throw error;
        if (await this.#belongsToAnother(consumer, key)) throw error;
        this.existing++;
      }
    }
  }

  /** Returns false if only the hash of the key is known. */
  async #belongsToAnother(consumer: string, { key }: ApiKeyCreate): Promise<boolean> {
    if (key === undefined) return false;
    const found = await this.client.verifyKey(this.bucket, key);
    return found.valid && found.consumer.name !== consumer;
  }

  #failed({ place, originalName, consumer, keys }: ImportedConsumer, error: TollgateError): void {
    const item = { place: `${place} (${originalName})`, fields: consumer, source: keys };
    const reason = error.code === "key_exists" ? "one of its keys belongs to another consumer" : reasonOf(error);
    this.run.failed([item], reason);
  }
}
