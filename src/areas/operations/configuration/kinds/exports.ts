import { invalid } from "../../../../core/problems/problem.ts";
import type { Export, ExportCredential, Exports } from "../../exports/exports.ts";
import { presentExport } from "../../exports/present.ts";
import { type ExportInput, exportInput } from "../../exports/schema.ts";
import type { ConfigurationEntry, Existing, Kind } from "../kind.ts";
import { allPages, isSameEntry, secretValue, withoutDefaults } from "./entries.ts";

const defaults = { isEnabled: true };
const unordered = ["kinds"];

interface DestinationEntry {
  url: string;
  endpoint?: string;
  region?: string;
  credential?: { accessKeyId: string; secretAccessKeyFrom: unknown };
}

/** The destinations of closed hours. Which hours were written is no configuration. */
export function exportKind(exports: Exports): Kind {
  const existingOf = (row: Export): Existing => {
    const { to, kinds, format, isEnabled } = presentExport(row, 0);
    const { accessKeyId, ...place } = to;
    return {
      id: row.id,
      name: row.name,
      version: row.version,
      entry: { to: { ...place, ...(accessKeyId && { credential: { accessKeyId } }) }, kinds, format, isEnabled },
      storedSecret: () => exports.secretOf(row),
    };
  };
  const isCredentialOf = (row: Export, { accessKeyId, secretAccessKey }: ExportCredential) =>
    row.access_key_id === accessKeyId && exports.secretOf(row) === secretAccessKey;
  return {
    name: "exports",
    operations: { create: "createExport", update: "updateExport", delete: "deleteExport" },
    readOperation: "listExports",
    unordered,
    existing: async (reads, account) =>
      (await allPages((paging) => exports.list(reads, account.seq, paging))).map(existingOf),
    desired(name, entry, secrets, existing) {
      const { credential, ...place } = entry.to as DestinationEntry;
      const input = { ...defaults, ...entry, to: place };
      if (!credential) return { ...name, input };
      const { accessKeyId, secretAccessKeyFrom } = credential;
      const pointer = "/to/credential/secretAccessKeyFrom";
      const known = existing && (existing.entry.to as DestinationEntry).credential;
      const isKnown = known?.accessKeyId === accessKeyId;
      const value = secretValue(secretAccessKeyFrom, pointer, secrets, isKnown ? existing : undefined);
      const { secretAccessKey } = exportInput.shape.to.shape.credential.unwrap().shape;
      const { error } = secretAccessKey.safeParse(value);
      if (error) throw invalid(pointer, error.issues[0]!.message);
      const withCredential = (shown: object) => ({ ...input, to: { ...place, credential: { accessKeyId, ...shown } } });
      return {
        ...name,
        input: withCredential({ secretAccessKey: value }),
        secret: { value, shown: (isChanged) => withCredential(isChanged ? { secretAccessKey: "changed" } : {}) },
      };
    },
    dumped({ name, entry }) {
      const { credential, ...place } = entry.to as DestinationEntry;
      // A file has no secrets: this is where the value has to be when it is applied.
      const env = `${name.toUpperCase().replaceAll("-", "_")}_EXPORT_SECRET_ACCESS_KEY`.replace(/^(?=\d)/, "_");
      const to = { ...place, ...(credential && { credential: { ...credential, secretAccessKeyFrom: { env } } }) };
      return withoutDefaults({ ...entry, to }, defaults);
    },
    async create(transaction, act, { name, input }) {
      return (await exports.create(transaction, act, { ...inputOf(input), name })).id;
    },
    async update(transaction, act, { name }, { before, input }, precondition) {
      requireSamePlace(before, input);
      const { to, isEnabled } = inputOf(input);
      const isKnown =
        to.credential && isCredentialOf(await exports.find(transaction, act.account.seq, name), to.credential);
      const patch = { isEnabled, ...(to.credential && !isKnown && { credential: to.credential }) };
      await exports.update(transaction, act, name, patch, precondition);
    },
    delete: (transaction, act, { name }, precondition) => exports.delete(transaction, act, name, precondition),
    async remarks(_reads, _act, { action }) {
      if (action === "delete") return { notes: ["What it has written stays."] };
      if (action === "create")
        return { notes: ["Begins with the current hour. Earlier ones: tollgate exports backfill"] };
      return {};
    },
  };
}

const inputOf = (input: ConfigurationEntry) => input as unknown as ExportInput;

/** What was written is there, in that format: another destination is another export. */
function requireSamePlace(before: ConfigurationEntry, input: ConfigurationEntry): void {
  const placeOf = ({ to }: ConfigurationEntry): ConfigurationEntry => {
    const { credential: _, ...place } = to as DestinationEntry;
    return { ...place };
  };
  const hasCredential = ({ to }: ConfigurationEntry) => (to as DestinationEntry).credential !== undefined;
  if (hasCredential(before) !== hasCredential(input))
    throw invalid("/to/credential", hasCredential(before) ? "is required for s3://" : "is only for s3://");
  if (!isSameEntry(placeOf(before), placeOf(input))) throw invalid("/to", "cannot be changed: add another export");
  for (const name of ["kinds", "format"])
    if (!isSameEntry({ [name]: before[name] }, { [name]: input[name] }, unordered))
      throw invalid(`/${name}`, "cannot be changed: add another export");
}
