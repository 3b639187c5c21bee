import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { sqlite } from "../support/engines.ts";
import { exampleProject } from "../support/example-project.ts";
import { deploy } from "../support/project.ts";
import { useServer } from "../support/server.ts";

let fails = false;
const mail = "ada@example.com, then\nbob.b+x@mail.example.org.\n";
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    if (fails) return new Response("<h1>secret trace</h1>", { status: 503, headers: { server: "old" } });
    if (url.endsWith("/orders")) return Response.json({ orders: [] });
    if (url.endsWith("/receipts")) return new Response("paid", { headers: { etag: '"1"' } });
    // Addresses are cut wherever a piece ends.
    const pieces = mail.repeat(200).match(/.{1,7}/gs)!;
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    return new Response(body, { headers: { "content-type": "text/plain" } });
  },
});
afterAll(() => upstream.stop(true));

const server = useServer(sqlite);

test("the policies of examples/responses change responses", async () => {
  const files = await exampleProject("responses", { "http://127.0.0.1:9000": upstream.url.origin });
  const { call } = await deploy(server, { project: "responses", branch: "main" }, files);
  const orders = await call("/orders");
  expect(await orders.json()).toEqual({
    orders: [],
    requestId: orders.headers.get("x-request-id"),
    milliseconds: expect.any(Number),
  });
  expect(await (await call("/customers")).text()).toBe("***, then\n***.\n".repeat(200));
  const receipt = await call("/receipts");
  expect([await receipt.text(), receipt.headers.get("etag")]).toEqual(["paid", '"1"']);
  const signature = createHmac("sha256", "change-me").update("paid").digest("hex");
  expect(receipt.headers.get("x-signature")).toBe(`sha256=${signature}`);
  fails = true;
  const failed = await call("/orders");
  expect([failed.status, failed.headers.get("content-type")]).toEqual([503, "application/problem+json"]);
  expect(failed.headers.has("server")).toBe(false);
  expect(await failed.json()).toMatchObject({ status: 503, instance: "/orders" });
});
