/** `npm run generate`: writes the generated parts of the client from the OpenAPI documents of a temporary server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config/config.ts";
import { startServer } from "../src/server/server.ts";
import { clientResources, generatedResourcesFile } from "./generate-client-resources.ts";
import { clientTypes, generatedFile, generatedPortalFile, type OpenApiDocument } from "./generate-client-types.ts";

async function documentsOfThisVersion(): Promise<{ management: OpenApiDocument; portal: OpenApiDocument }> {
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

const { management, portal } = await documentsOfThisVersion();
await Bun.write(generatedFile, await clientTypes(management));
await Bun.write(generatedResourcesFile, await clientResources(management));
await Bun.write(generatedPortalFile, await clientTypes(portal));
