import fc from "fast-check";
import { operatorToken } from "../../test/support/server-settings.ts";
import { type Described, filledPath, type OperationOfPath, operationsOf } from "../described.ts";
import { goodBody } from "../good-body.ts";
import type { World } from "../world.ts";
import { hostileBody, hostileText, hostileValue } from "./hostile.ts";
import { valuesOf } from "./values.ts";

/** A mutation of a valid body at one of its positions. */
interface Mutation {
  place: number;
  change: "replace" | "remove" | "add" | "double";
  name: string;
  value: unknown;
}

type BodyPlan =
  | { from: "nothing" }
  | { from: "good" | "schema"; value?: unknown; mutations: Mutation[] }
  | { from: "text"; text: string };

/** A request that is independent of the account that it will be sent to. */
export interface RequestPlan {
  target: OperationOfPath;
  /** Replaces the operation's method. */
  method: string | undefined;
  /** Path parameters by name; absent ones get real values. */
  parameters: Record<string, string | undefined>;
  isEncoded: boolean;
  query: [string, string][];
  headers: [string, string][];
  caller: string;
  body: BodyPlan;
}

export interface FuzzRequest {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** Bun sends a method that it does not know as GET: those are for the raw requests. */
const otherMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Most callers are authorized: a rejected credential tests nothing else. */
const callers = [
  ...Array(12).fill("admin"),
  "editor",
  "reader",
  "verifier",
  "operator",
  "operator",
  "nobody",
  "garbage",
];

/** Requests of every operation in the description: valid, nearly valid, and hostile. */
export function requestPlans(described: Described): fc.Arbitrary<RequestPlan> {
  const plans = operationsOf(described).map((target) => plansOf(target, described));
  return fc.oneof(...plans);
}

/** One in so many. */
function rarely<Value>(outOf: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: outOf - 1 }, { arbitrary, weight: 1 });
}

function plansOf(target: OperationOfPath, { components }: Described): fc.Arbitrary<RequestPlan> {
  const { operation, template } = target;
  const parameterNames = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return fc.record({
    target: fc.constant(target),
    method: rarely(30, fc.constantFrom(...otherMethods)),
    parameters: fc.record(Object.fromEntries(parameterNames.map((name) => [name, rarely(15, hostileText)]))),
    isEncoded: fc.boolean(),
    query: queriesOf(operation, components.schemas),
    headers: headersOf,
    caller: fc.constantFrom(...callers),
    body: bodiesOf(operation, components.schemas),
  });
}

function queriesOf(
  { parameters }: OperationOfPath["operation"],
  schemas: Described["components"]["schemas"],
): fc.Arbitrary<[string, string][]> {
  const documented = parameters.filter((parameter) => parameter.in === "query" && parameter.name !== "accountName");
  const each = documented.map(({ name, schema }) => {
    const written = name === "tag" ? "tag.plan" : name;
    const value = fc.oneof(
      { arbitrary: valuesOf(name === "tag" ? { type: "string" } : schema, schemas).map(String), weight: 3 },
      { arbitrary: hostileText, weight: 1 },
    );
    return rarely(3, fc.tuple(fc.constant(written), value));
  });
  const unknown = rarely(25, fc.tuple(hostileText, hostileText));
  return fc.tuple(...each, unknown).map((all) => all.filter((pair) => pair !== undefined));
}

/** Headers that HTTP itself allows: what it does not is for the raw requests. */
const visible = fc.stringMatching(/^[!-~]{0,40}$/);
const headersOf: fc.Arbitrary<[string, string][]> = fc
  .tuple(
    ...[
      [
        "idempotency-key",
        fc.oneof(fc.constantFrom("one", "two", "three"), visible, fc.constant("k".repeat(300))),
      ] as const,
      ["if-match", fc.oneof(fc.constantFrom("*", '"x"', 'W/"x"', "x", '"', ""), visible)] as const,
      ["if-none-match", fc.oneof(fc.constantFrom("*", '"x"', "x"), visible)] as const,
      [
        "content-type",
        fc.constantFrom("text/plain", "application/xml", "", "application/json; charset=utf-16", "x"),
      ] as const,
      ["x-request-id", fc.oneof(visible, fc.constantFrom("a".repeat(300), "a b", "tg_secret"))] as const,
      ["accept", fc.constantFrom("text/html", "text/event-stream", "*/*;q=0", "")] as const,
      ["accept-encoding", fc.constantFrom("gzip", "br;q=0", "identity;q=0", "")] as const,
      ["origin", fc.constantFrom("null", "https://evil.example")] as const,
      ["x-http-method-override", fc.constant("DELETE")] as const,
      ["x-forwarded-host", fc.constant("evil.example")] as const,
      ["x-consumer-name", fc.constant("acme")] as const,
    ].map(([name, value]) => rarely(15, fc.tuple(fc.constant(name), value as fc.Arbitrary<string>))),
  )
  .map((all) => all.filter((pair) => pair !== undefined));

function bodiesOf(
  operation: OperationOfPath["operation"],
  schemas: Described["components"]["schemas"],
): fc.Arbitrary<BodyPlan> {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const nothing = fc.constant<BodyPlan>({ from: "nothing" });
  const text = hostileBody.map((each): BodyPlan => ({ from: "text", text: each }));
  if (!schema) return fc.oneof({ arbitrary: nothing, weight: 9 }, { arbitrary: text, weight: 1 });
  const mutations = fc.array(
    fc.record<Mutation>({
      place: fc.nat(50),
      change: fc.constantFrom("replace", "replace", "remove", "add", "double"),
      name: hostileText,
      value: hostileValue,
    }),
    { minLength: 1, maxLength: 2 },
  );
  const perhaps = fc.oneof(fc.constant<Mutation[]>([]), mutations);
  const good = perhaps.map((each): BodyPlan => ({ from: "good", mutations: each }));
  const made = fc
    .tuple(valuesOf(schema, schemas), perhaps)
    .map(([value, each]): BodyPlan => ({ from: "schema", value, mutations: each }));
  return fc.oneof(
    { arbitrary: good, weight: 5 },
    { arbitrary: made, weight: 5 },
    { arbitrary: text, weight: 2 },
    { arbitrary: nothing, weight: 1 },
  );
}

/** The plan as a request in an existing account. */
export function requestTo(plan: RequestPlan, world: World): FuzzRequest {
  const { target, parameters, isEncoded } = plan;
  const { operation, template } = target;
  const encode = (text: string) => (isEncoded ? encodeURIComponent(text.toWellFormed()) : rawSegment(text));
  const path = filledPath(template, (name) =>
    parameters[name] === undefined ? world.parameters[name]! : encode(parameters[name]),
  );
  const query = plan.query.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const actsInAccount = operation.parameters.some(({ name, in: where }) => name === "accountName" && where === "query");
  if (actsInAccount && plan.caller === "operator") query.push(`accountName=${world.account}`);
  if (operation.operationId === "uploadSource") query.push(`token=${world.uploadToken}`);
  const method = plan.method ?? target.method;
  const hasBody = method !== "GET" && method !== "HEAD";
  return {
    operationId: operation.operationId,
    method,
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    headers: { ...authorization(plan.caller, world), ...Object.fromEntries(plan.headers) },
    body: hasBody ? bodyText(plan.body, operation, world) : undefined,
  };
}

/** Written like by a careless client, without characters that would end the path or the line. */
function rawSegment(text: string): string {
  return text.toWellFormed().replace(/[\s\p{Cc}/?#\\]/gu, "_");
}

function authorization(caller: string, { tokens }: World): Record<string, string> {
  if (caller === "nobody") return {};
  if (caller === "garbage") return { authorization: "Basic YWRtaW46YWRtaW4=" };
  const token = caller === "operator" ? operatorToken : tokens[caller as keyof typeof tokens];
  return { authorization: `Bearer ${token}` };
}

function bodyText(body: BodyPlan, operation: OperationOfPath["operation"], world: World): string | undefined {
  if (body.from === "nothing") return undefined;
  if (body.from === "text") return body.text;
  let value = structuredClone(body.from === "good" ? goodBody(operation, world) : body.value);
  for (const mutation of body.mutations) value = mutated(value, mutation);
  return JSON.stringify(value);
}

interface Place {
  container: Record<string, unknown>;
  key: string;
}

function mutated(value: unknown, mutation: Mutation): unknown {
  const hostile = structuredClone(mutation.value);
  const places = placesIn(value);
  const chosen = places[mutation.place % (places.length + 1)];
  if (!chosen) return mutation.change === "replace" ? hostile : value;
  const { container, key } = chosen;
  const set = (name: string, to: unknown) =>
    Object.defineProperty(container, name, { value: to, enumerable: true, configurable: true, writable: true });
  switch (mutation.change) {
    case "replace":
      set(key, hostile);
      break;
    case "remove":
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else delete container[key];
      break;
    case "add":
      // JSON has no names in lists.
      if (Array.isArray(container)) container.push(hostile);
      else set(mutation.name, hostile);
      break;
    case "double": {
      // The second of two exclusive members is rejected after the first has been written.
      const member = container[key];
      const list = Array.isArray(container) ? container : member;
      if (Array.isArray(list)) list.push(...structuredClone(list));
      break;
    }
  }
  return value;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const container = value as Record<string, unknown>;
  return Object.keys(container).flatMap((key) => [{ container, key }, ...placesIn(container[key])]);
}
