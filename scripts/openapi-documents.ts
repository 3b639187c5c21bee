import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config/config.ts";
import { startServer } from "../src/server/server.ts";
import type { OpenApiDocument } from "./generate-client-types.ts";

/** The OpenAPI documents of a temporary server. */
export async function documentsOfThisVersion(): Promise<{ management: OpenApiDocument; portal: OpenApiDocument }> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-generate-"));
  try {
    const config = readConfig({ TOLLGATE_DATA_DIR: folder, TOLLGATE_PORT: "0", TOLLGATE_LOG: "error" });
    const server = await startServer(config);
    const documentAt = async (path: string) => (await fetch(server.url + path)).json() as Promise<OpenApiDocument>;
    const documents = {
      management: await documentAt("/openapi.json"),
      portal: await documentAt("/portal/openapi.json"),
    };
    await server.stop();
    return documents;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
