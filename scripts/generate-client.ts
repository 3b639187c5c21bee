/** `npm run generate`: writes the generated parts of the client from the OpenAPI documents of a temporary server. */
import {
  clientAccount,
  clientResources,
  generatedAccountFile,
  generatedResourcesFile,
} from "./generate-client-resources.ts";
import { clientTypes, generatedFile, generatedPortalFile } from "./generate-client-types.ts";
import { tablesOfOtherClients } from "./generate-other-clients.ts";
import { documentsOfThisVersion } from "./openapi-documents.ts";

const { management, portal } = await documentsOfThisVersion();
await Bun.write(generatedFile, await clientTypes(management));
await Bun.write(generatedResourcesFile, await clientResources(management));
await Bun.write(generatedAccountFile, await clientAccount(management));
await Bun.write(generatedPortalFile, await clientTypes(portal, management));
for (const [file, text] of Object.entries(tablesOfOtherClients(management))) await Bun.write(file, text);
