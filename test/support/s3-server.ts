import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import S3rver from "s3rver";
import { started, stopped } from "./left-running.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const s3Credential = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/** A server of S3's API that checks signatures, with one bucket. */
export async function startS3(bucket: string) {
  const { path, remove } = await temporaryFolder("s3");
  await mkdir(join(path, bucket));
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: path });
  const { port } = await server.run();
  const running = {
    endpoint: `http://127.0.0.1:${port}`,
    /** The names of all objects, sorted. */
    async objects(): Promise<string[]> {
      const names = await readdir(join(path, bucket), { recursive: true });
      return names
        .filter((name) => name.endsWith("._S3rver_object"))
        .map((name) => name.slice(0, -"._S3rver_object".length))
        .toSorted();
    },
    /** The file that contains an object. */
    fileOf: (name: string) => join(path, bucket, `${name}._S3rver_object`),
    async stop() {
      stopped(running);
      await server.close();
      await remove();
    },
  };
  started(running, "An S3 server");
  return running;
}
