// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is how a project names a variable.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { sqlite } from "../../test/support/engines.ts";
import { useServer } from "../../test/support/server.ts";

const server = useServer(sqlite);
const root = join(import.meta.dir, "../..");

async function validatorOf(path: string): Promise<ValidateFunction> {
  const response = await fetch(server.url + path);
  expect(response.headers.get("content-type")).toBe("application/schema+json");
  return new Ajv2020({ strict: false, allErrors: true }).compile((await response.json()) as object);
}

const errorsOf = (validate: ValidateFunction, value: unknown) =>
  validate(value) ? [] : validate.errors!.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);

describe("the schema of tollgate.json", () => {
  test("accepts the projects of this repository and of the documents", async () => {
    const validate = await validatorOf("/schemas/project.json");
    const files = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("tollgate.json") && !name.includes("node_modules"))
      .map((name) => JSON.parse(readFileSync(join(root, "examples", name), "utf8")));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(errorsOf(validate, file)).toEqual([]);
    const variables = {
      $schema: ".tollgate/project.schema.json",
      upstream: "${UPSTREAM}",
      policies: { key: { type: "api-key", options: { bucket: "${BUCKET}" } }, own: { type: "modules/own.ts" } },
    };
    expect(errorsOf(validate, variables)).toEqual([]);
  });

  test("checks the options of each policy by its type", async () => {
    const validate = await validatorOf("/schemas/project.json");
    const policies = {
      limit: { type: "rate-limit", options: { by: "consumer", requests: "many", windowSeconds: 60 } },
      wrong: { type: "rate-limits" },
    };
    const errors = errorsOf(validate, { policies, upstreams: {} });
    expect(errors).toContain("/policies/limit/options/requests type");
    expect(errors).toContain("/policies/wrong/type anyOf");
    expect(errors).toContain(" additionalProperties");
  });
});

test("the schema of tollgate.yaml accepts a dump, and names what is wrong", async () => {
  const validate = await validatorOf("/schemas/configuration.json");
  const configuration = {
    version: 1,
    keyBuckets: { main: { keyPrefix: "acme", tags: { team: "api" } } },
    meteringBuckets: { shop: {} },
    plans: { shop: { gold: { label: "Gold", meters: { requests: { max: 1000 } } } } },
    webhooks: { billing: { url: "https://acme.example/hook", events: ["*"] } },
    variables: { orders: { TOKEN: { isSecret: true, valueFrom: { env: "TOKEN" } }, REGION: { value: "eu" } } },
  };
  const path = "/v1/accounts/default/configuration";
  const { body } = await server.client.post(`${path}/$plan`, { configuration, secrets: { TOKEN: "s3cr3t-value" } });
  await server.client.post(`${path}/$apply`, { planId: body.planId });
  expect(errorsOf(validate, (await server.client.get(path)).body.configuration)).toEqual([]);
  const wrong = { version: 2, keyBuckets: { "Not A Name": { keyprefix: "x" } }, plans: { shop: { gold: {} } } };
  const errors = errorsOf(validate, wrong);
  expect(errors).toContain("/version const");
  expect(errors).toContain("/keyBuckets/Not A Name additionalProperties");
  expect(errors).toContain("/plans/shop/gold required");
});
