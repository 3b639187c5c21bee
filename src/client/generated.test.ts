import { expect, test } from "bun:test";
import {
  clientAccount,
  clientResources,
  generatedAccountFile,
  generatedResourcesFile,
} from "../../scripts/generate-client-resources.ts";
import { clientTypes, generatedFile, type OpenApiDocument } from "../../scripts/generate-client-types.ts";
import { tablesOfOtherClients } from "../../scripts/generate-other-clients.ts";
import { sqlite } from "../../test/support/engines.ts";
import { useServer } from "../../test/support/server.ts";

// The document does not depend on the engine.
const server = useServer(sqlite);

test.each([
  ["types", generatedFile, clientTypes],
  ["classes", generatedResourcesFile, clientResources],
  ["members of the client", generatedAccountFile, clientAccount],
])("the generated %s match the API", async (_what, file, generate) => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
  const isCurrent = (await Bun.file(file).text()) === (await generate(document));
  expect(isCurrent, `${file} is not current: run \`npm run generate\``).toBe(true);
});

test("the tables of the Python and Go clients match the API", async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
  for (const [file, text] of Object.entries(tablesOfOtherClients(document)))
    expect((await Bun.file(file).text()) === text, `${file} is not current: run \`npm run generate\``).toBe(true);
});
