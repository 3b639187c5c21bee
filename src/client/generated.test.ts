import { expect, test } from "bun:test";
import { clientTypes, generatedFile, type OpenApiDocument } from "../../scripts/generate-client-types.ts";
import { sqlite } from "../../test/support/engines.ts";
import { useServer } from "../../test/support/server.ts";

// The document does not depend on the engine.
const server = useServer(sqlite);

test("the generated types match the API", async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
  const isCurrent = (await Bun.file(generatedFile).text()) === (await clientTypes(document));
  expect(isCurrent, "src/client/transport/schema.gen.ts is not current: run `npm run generate`").toBe(true);
});
