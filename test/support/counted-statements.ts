import type { Reads, Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/** The storage with its statements recorded, in order. */
export function recordingStatements(storage: Storage): { storage: Storage; statements: string[] } {
  const statements: string[] = [];
  const recorded = <Kind extends Reads>(reads: Kind): Kind => {
    const record =
      <Parameters extends unknown[], Result>(name: string, run: (...parameters: Parameters) => Result) =>
      (...parameters: Parameters) => {
        statements.push(typeof parameters[0] === "string" ? `${name} ${parameters[0]}` : name);
        return run(...parameters);
      };
    const names = [
      "one",
      "all",
      "run",
      "runAll",
      "insert",
      "insertAll",
      "insertNew",
      "lock",
      "tryLock",
      "tryLockAll",
    ] as const;
    const own = reads as unknown as Record<string, (...parameters: unknown[]) => unknown>;
    const wrapped = names.flatMap((name) => (own[name] ? [[name, record(name, own[name])]] : []));
    return {
      ...reads,
      ...Object.fromEntries(wrapped),
      get query() {
        statements.push("query");
        return reads.query;
      },
    };
  };
  const write: Storage["write"] = (work) =>
    storage.write((transaction) => work(recorded<WriteTransaction>(transaction)));
  return {
    storage: Object.create(storage, { reads: { value: recorded(storage.reads) }, write: { value: write } }),
    statements,
  };
}
