import { expect, test } from "bun:test";
import { type Described, describedBy, type JsonSchema, operationsOf } from "../torture/described.ts";
import { goodBody } from "../torture/good-body.ts";
import { sendGood } from "../torture/who-may/requests.ts";
import { furnishWorld } from "../torture/world.ts";
import { postgres } from "./support/engines.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { patiently } from "./support/slowdown.ts";

/** PostgreSQL cannot store these: the API must reject them before. */
const hostile = ["a\0b", "a\ud800b"];

// SQLite stores any text, so only this engine can fail.
const server = useServer(postgres);

const patienceMs = patiently(300_000);

test(
  "no text in any field of a body causes a 500",
  async () => {
    const operator = server.client.as(operatorToken);
    const described = await describedBy(server);
    const statuses: Record<string, number> = {};
    const world = await furnishWorld(operator, "hostile");
    for (const each of operationsOf(described)) {
      const schema = each.operation.requestBody?.content["application/json"]?.schema;
      if (!schema) continue;
      for (const text of hostile)
        for (const [place, body] of distinct(() =>
          bodiesWithText(described, schema, goodBody(each.operation, world), text, ""),
        )) {
          const { status } = await sendGood(operator, operator, each, world, body);
          statuses[`${each.operation.operationId} ${place} ${JSON.stringify(text)} ${status}`] = status;
        }
    }
    expect(Object.keys(statuses).length).toBeGreaterThan(200);
    expect(Object.entries(statuses).filter(([, status]) => status >= 500)).toEqual([]);
    // All operations have the same account: what one of them changes must not keep the texts of another from storage.
    const conflicts = Object.entries(statuses).filter(([, status]) => status === 404 || status === 409);
    expect(conflicts.map(([request]) => request)).toEqual(
      hostile.map((text) => `requestSourceUpload /accountName ${JSON.stringify(text)} 404`),
    );
  },
  patienceMs,
);

/** The generated bodies without repeated ones. Each is generated again before it is used: names in valid bodies are used once. */
function* distinct(generate: () => Iterable<[string, unknown]>): Generator<[place: string, body: unknown]> {
  const first = [...generate()].map(([, body]) => JSON.stringify(body));
  let bodies = [...generate()];
  const hasNewNames = bodies.some(([, body], index) => JSON.stringify(body) !== first[index]);
  for (const [index, text] of first.entries()) {
    if (first.indexOf(text) < index) continue;
    if (hasNewNames) bodies = [...generate()];
    yield bodies[index]!;
  }
}

/** The valid body with the text in one place, for each text in the schema and for names of members. */
function* bodiesWithText(
  described: Described,
  given: JsonSchema,
  good: unknown,
  text: string,
  place: string,
): Generator<[place: string, body: unknown]> {
  const schema = resolved(described, given);
  for (const branch of schema.anyOf ?? []) yield* bodiesWithText(described, branch, good, text, place);
  if (schema.type === "string") yield [place, text];
  if (schema.type === "array") {
    const items = Array.isArray(good) && good.length > 0 ? good : [undefined];
    for (const [inside, item] of bodiesWithText(described, schema.items ?? {}, items[0], text, `${place}/0`))
      yield [inside, [item, ...items.slice(1)]];
  }
  if (schema.type !== "object" && !schema.properties) return;
  const members = typeof good === "object" && good !== null && !Array.isArray(good) ? good : {};
  for (const [name, held] of Object.entries(schema.properties ?? {}))
    for (const [inside, value] of bodiesWithText(described, held, (members as never)[name], text, `${place}/${name}`))
      for (const others of [members, required(schema, members)]) yield [inside, { ...others, [name]: value }];
  if (schema.additionalProperties === false) return;
  const ofOthers = typeof schema.additionalProperties === "object" ? schema.additionalProperties : { type: "string" };
  const [other] = Object.values(members);
  for (const name of [text, `tag.${text}`]) yield [`${place}/(name)`, { ...members, [name]: other ?? "value" }];
  for (const [inside, value] of bodiesWithText(described, ofOthers, other, text, `${place}/tag.plan`))
    yield [inside, { ...members, "tag.plan": value }];
}

/** Without optional members, since one may exclude another. */
function required(schema: JsonSchema, members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => schema.required?.includes(name)));
}

function resolved({ components }: Described, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : components.schemas[name]!;
}
