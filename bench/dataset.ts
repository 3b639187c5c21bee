import { join } from "node:path";
import { progress } from "./progress.ts";
import { seedDatabase } from "./seed.ts";
import { consumerName, consumerTags } from "./seeded-consumers.ts";
import { call, startServer } from "./server.ts";

const bucketName = "bench";
export const bucketPath = `/v1/accounts/default/key-buckets/${bucketName}`;
export const keyWidth = 44;
export const nameWidth = 16;

/** A data directory with consumers of one key each, and their keys and names as records for load plans. */
export interface Dataset {
  readonly dataDirectory: string;
  readonly keysFile: string;
  readonly namesFile: string;
}

export async function writeNames(file: string, count: number): Promise<void> {
  await Bun.write(file, Array.from({ length: count }, (_, index) => consumerName(index)).join(""));
}

/**
 * The API would take minutes for a million consumers, so it creates one, and with the server stopped its rows are
 * copied for the others.
 */
export async function seedDataset(dataDirectory: string, count: number): Promise<Dataset> {
  progress(`seeding ${count.toLocaleString("en")} consumers with a key each`);
  {
    await using server = await startServer(dataDirectory);
    await call(server, "POST", `${bucketPath}/consumers?with-api-key=true`, {
      name: consumerName(0),
      tags: consumerTags(0, count),
      metadata: { plan: "gold", region: "eu" },
    });
  }
  const keysFile = `${dataDirectory}-keys.slots`;
  const namesFile = `${dataDirectory}-names.slots`;
  const keys = seedDatabase(join(dataDirectory, "tollgate.db"), count);
  await Bun.write(keysFile, keys.join(""));
  await writeNames(namesFile, count);
  progress(`seeded ${count.toLocaleString("en")} consumers`);
  return { dataDirectory, keysFile, namesFile };
}
