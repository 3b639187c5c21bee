import { gzip, tar } from "../../client/deploy/tar.ts";
import { json } from "../projects/new-project.ts";
import errorsGuide from "./guides/errors.md" with { type: "text" };
import firstParcelGuide from "./guides/index.md" with { type: "text" };

export const keyBucket = "customers";
export const meteringBucket = "waybill";

/** Headers by which the demo's requests control the mock of the upstream services. */
export const latencyHeader = "x-demo-latency";
export const statusHeader = "x-demo-status";

export type ShopVersion = "first" | "labels" | "pickup" | "faulty";

/** The public API of the business: rates, shipments, labels and tracking. Each version adds to the previous one. */
export function shop(version: ShopVersion): Promise<Blob> {
  const hasLabels = version !== "first";
  const hasPickup = version === "pickup" || version === "faulty";
  return archive({
    "openapi.json": json({
      openapi: "3.1.0",
      info: { title: "Waybill", version: "1.0.0", description: "Rates, labels and tracking for online shops." },
      paths: {
        "/rates": {
          get: operation(
            "getRates",
            "What carriers charge for a parcel",
            ["key", "burst", "valid", "requests"],
            "rates",
            {
              parameters: [
                query("from", { type: "string", minLength: 2, example: "Berlin" }),
                query("to", { type: "string", minLength: 2, example: "Hamburg" }),
                query("grams", { type: "integer", minimum: 1, maximum: 70000, example: 1200 }),
              ],
              ...responds(200, "Rates, by carrier", {
                rates: [{ carrier: "swiftpost", cents: 495 }],
                region: "eu-central",
              }),
            },
          ),
        },
        "/shipments": {
          post: operation("createShipment", "Book a parcel", ["key", "burst", "valid", "requests"], "shipments", {
            requestBody: {
              required: true,
              content: { "application/json": { schema: { $ref: "#/components/schemas/Shipment" } } },
            },
            ...responds(201, "The booked parcel", { ...shipment, to: "Hamburg", grams: 1200, status: "booked" }),
          }),
        },
        "/shipments/{id}": {
          get: operation("getShipment", "One shipment", ["key", "burst", "requests"], "shipments", {
            parameters: [inPath("id", shipment.id)],
            ...responds(200, "The shipment", shipment),
          }),
        },
        "/tracking/{code}": {
          get: operation("track", "Where a parcel is", ["key", "burst", "requests"], "tracking", {
            parameters: [inPath("code", "WB123456")],
            ...responds(200, "What happened to the parcel", {
              code: "WB123456",
              events: [{ status: "accepted" }, { status: "in transit" }],
            }),
          }),
        },
        ...(hasLabels && {
          "/labels": {
            post: operation("printLabel", "A label as PDF", ["key", "burst", "print", "labels"], "labels", {
              responses: { "201": { description: "The label", content: { "application/pdf": {} } } },
            }),
          },
        }),
        ...(hasPickup && {
          "/carriers/{carrier}/pickup-points": {
            get: operation("pickupPoints", "Where to collect parcels", ["key", "burst", "cached"], "pickup", {
              parameters: [inPath("carrier", "swiftpost")],
              ...responds(200, "Points of the carrier", {
                carrier: "swiftpost",
                points: [{ name: "Central station", hours: "7-22" }],
              }),
            }),
          },
        }),
        "/status": {
          get: operation("status", "Whether the API works", [], "status", responds(200, "It works", { status: "ok" })),
        },
      },
      components: {
        schemas: {
          Shipment: {
            type: "object",
            description: "A parcel that a carrier collects.",
            required: ["to", "grams"],
            properties: {
              to: {
                type: "string",
                minLength: 2,
                description: "A city, or a postcode with its country.",
                example: "Hamburg",
              },
              grams: { type: "integer", minimum: 1, maximum: 70000, description: "With packaging.", example: 1200 },
              reference: { type: "string", maxLength: 64, description: "Your own number.", example: "order-4711" },
            },
            additionalProperties: false,
          },
        },
      },
    }),
    "tollgate.json": json({
      policies: {
        key: { type: "api-key", options: { bucket: keyBucket } },
        burst: { type: "rate-limit", options: { by: "consumer", requests: 60, windowSeconds: 60 } },
        valid: { type: "validate" },
        requests: { type: "quota", options: { bucketId: meteringBucket, meters: { requests: 1 } } },
        ...(hasLabels && {
          print: { type: "permission", options: { permission: "labels:write" } },
          labels: { type: "quota", options: { bucketId: meteringBucket, meters: { requests: 1, labels: 1 } } },
        }),
        ...(hasPickup && { cached: { type: "cache", options: { seconds: 300, by: "everyone" } } }),
      },
      environment: { REGION: "$" + "{CARRIER_REGION}" },
    }),
    ...guides,
    "modules/backend.ts": backendModule,
    "modules/rates.ts": ratesModule,
    "modules/shipments.ts": version === "faulty" ? faultyShipmentsModule : shipmentsModule,
    "modules/tracking.ts": trackingModule,
    ...(hasLabels && { "modules/labels.ts": labelsModule }),
    ...(hasPickup && { "modules/pickup.ts": pickupModule }),
    "modules/status.ts": statusModule,
  });
}

/** This version does not build: a brace is missing. */
export function brokenShop(): Promise<Blob> {
  return archive({
    "openapi.json": `{
  "openapi": "3.1.0",
  "info": { "title": "Waybill", "version": "1.0.0" },
  "paths": {
    "/rates": { "get": { "operationId": "getRates", "x-tollgate": { "handler": "modules/rates.ts" } }
  }
`,
    "modules/rates.ts": ratesModule,
  });
}

/** The receivers of the webhooks: one that works, and two that fail. */
export function backOffice(): Promise<Blob> {
  const paths = Object.fromEntries(
    ["billing", "crm", "alerts"].map((name) => [
      `/hooks/${name}`,
      { post: operation(name, `Events for ${name}`, [], name, {}) },
    ]),
  );
  return archive({
    "openapi.json": json({ openapi: "3.1.0", info: { title: "Back office", version: "1.0.0" }, paths }),
    "modules/billing.ts": handlerModule("() => new Response(null, { status: 204 })"),
    "modules/crm.ts": handlerModule('() => Response.json({ error: "unknown host crm-db-2" }, { status: 502 })'),
    "modules/alerts.ts": handlerModule('() => Response.json({ error: "channel is archived" }, { status: 500 })'),
  });
}

function operation(operationId: string, summary: string, policies: string[], module: string, rest: object) {
  const responses = { "200": { description: summary } };
  return { operationId, summary, "x-tollgate": { handler: `modules/${module}.ts`, policies }, responses, ...rest };
}

const shipment = { id: "shp_0b7e8a3c", status: "in transit" };

/** A JSON response, whose schema is that of the example. */
function responds(status: number, description: string, example: object) {
  return {
    responses: { [status]: { description, content: { "application/json": { schema: schemaOf(example), example } } } },
  };
}

function schemaOf(example: unknown): object {
  if (Array.isArray(example)) return { type: "array", items: schemaOf(example[0]) };
  if (typeof example !== "object" || example === null)
    return { type: typeof example === "number" ? "integer" : typeof example, example };
  const properties = Object.entries(example).map(([name, value]) => [name, schemaOf(value)]);
  return { type: "object", required: Object.keys(example), properties: Object.fromEntries(properties) };
}

function query(name: string, schema: object) {
  return { name, in: "query", required: true, schema };
}

function inPath(name: string, example: string) {
  return { name, in: "path", required: true, schema: { type: "string", maxLength: 64, example } };
}

function archive(files: Record<string, string>): Promise<Blob> {
  return gzip(tar(Object.entries(files).map(([path, text]) => ({ path, data: new TextEncoder().encode(text) }))));
}

function handlerModule(handler: string, imports = ""): string {
  return `import type { Handler } from "tollgate/gateway";\n${imports}
const handler: Handler = ${handler};

export default handler;
`;
}

const usesBackend = 'import { backend } from "./backend.ts";\n';

const backendModule = `/** Stands in for the services behind the API: the demo's requests set how long they take, and whether they fail. */
export async function backend(request: Request, respond: () => Response | Promise<Response>): Promise<Response> {
  const milliseconds = Number(request.headers.get("${latencyHeader}") ?? 5);
  await new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, 1000)));
  const status = Number(request.headers.get("${statusHeader}") ?? 0);
  if (status === 404) return Response.json({ error: "not found" }, { status });
  if (status >= 500) {
    console.error(\`carrier returned \${status} to \${request.method} \${new URL(request.url).pathname}\`);
    return Response.json({ error: "the carrier does not respond" }, { status });
  }
  return respond();
}
`;

const ratesModule = handlerModule(
  `(request, context) => backend(request, () => {
  const grams = Number(new URL(request.url).searchParams.get("grams") ?? 1000);
  const rates = [["swiftpost", 390], ["parcelbird", 450], ["northern-freight", 720]].map(([carrier, cents]) => ({
    carrier,
    cents: Number(cents) + Math.ceil(grams / 500) * 35,
  }));
  return Response.json({ rates, region: context.environment.REGION });
})`,
  usesBackend,
);

const shipmentsModule = handlerModule(
  `(request, context) => backend(request, async () => {
  if (request.method === "GET") return Response.json({ id: context.params.id, status: "in transit" });
  const { to, grams } = await request.json() as { to: string; grams: number };
  context.log.info(\`\${context.user?.sub} ships \${grams} g to \${to}\`);
  return Response.json({ id: \`shp_\${context.requestId}\`, to, grams, status: "booked" }, { status: 201 });
})`,
  usesBackend,
);

/** Heavy parcels have a surcharge by zone, but the zones are missing: the code throws. */
const faultyShipmentsModule = handlerModule(
  `(request, context) => backend(request, async () => {
  if (request.method === "GET") return Response.json({ id: context.params.id, status: "in transit" });
  const { to, grams } = await request.json() as { to: string; grams: number };
  const zones: Record<string, { surcharge: number }> = {};
  const surcharge = grams > 2000 ? zones[to]!.surcharge : 0;
  return Response.json({ id: \`shp_\${context.requestId}\`, to, grams, surcharge, status: "booked" }, { status: 201 });
})`,
  usesBackend,
);

const trackingModule = handlerModule(
  `(request, context) => backend(request, () => {
  return Response.json({ code: context.params.code, events: [{ status: "accepted" }, { status: "in transit" }] });
})`,
  usesBackend,
);

const labelsModule = handlerModule(
  `(request, context) => backend(request, () => {
  context.log.debug(\`label for \${context.user?.sub}\`);
  return new Response("%PDF-1.7 label", { status: 201, headers: { "content-type": "application/pdf" } });
})`,
  usesBackend,
);

const pickupModule = handlerModule(
  `(request, context) => backend(request, () => {
  return Response.json({ carrier: context.params.carrier, points: [{ name: "Central station", hours: "7-22" }] });
})`,
  usesBackend,
);

const statusModule = handlerModule('() => Response.json({ status: "ok" })');

/** The guides of the demo's API, which its portal shows. */
export const guides = { "docs/index.md": firstParcelGuide, "docs/errors.md": errorsGuide };
