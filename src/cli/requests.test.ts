import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectTour } from "../../test/support/cli-tour.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";

/** In the order of the document's blocks. */
const expected = [
  /Name +acme/,
  /✓ Start/,
  /^/,
  /429: consumer acme has used 2 of 2 requests of plan Gold in this period; it resets on \d+ \w+ \d{4} at [\d:]+ UTC\.\n {2}GET \/hello to shop-main-\w+, version 1, [\s\S]*x-request-id order-3\n {2}keys \(api-key\): passed, [\d.]+ ms\n {2}plan \(quota\): rejected[\s\S]*401: the request had no API key; send it in the header authorization\./,
  /^\d{4}-\d\d-\d\d [\d:.]{12}Z 401 GET \/hello [\d.]+ ms shop-main-\w+ req_\w{24} the request had no API key[\s\S]*429 GET \/hello [\d.]+ ms acme shop-main-\w+ req_[\s\S]*"status": 200\n"status": 200/,
];

test("the commands of docs/requests.md work as pasted, and print the documented output", async () => {
  await expectTour(readFileSync(join(import.meta.dir, "../../docs/requests.md"), "utf8"), expected);
});

test("the commands of docs/observe.md work as pasted: from a doubt to a decision", async () => {
  await expectTour(readFileSync(join(import.meta.dir, "../../docs/observe.md"), "utf8"), [
    /Name +acme/,
    /In observe, rejecting nothing: pace \(rate-limit\)/,
    /^200\n200\n200\n200\n200\n$/,
    /pace +5 +0 +0 +2 [\s\S]*acme +5 +0 +0 +2 [\s\S]*200 GET \/hello [\s\S]*Policy pace \(rate-limit\) would have rejected it with rate_limited: consumer acme has made 3 of 3 requests/,
    /Live/,
  ]);
});

describe("following requests", () => {
  const bench = useCli();

  test.each(["requests --follow", "deployments logs orders-main-1 --follow"])(
    "tollgate %s notes once that the connection is lost, and that it is back",
    async (words) => {
      const stream = (body: string | ReadableStream) =>
        new Response(body, { headers: { "content-type": "text/event-stream" } });
      const away = () => Response.json({ code: "storage_unavailable", detail: "Storage is away." }, { status: 503 });
      const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(": following\n\n") });
      // The CLI tries each request three times: two failures are followed by a successful connection.
      const responses = [
        () => stream(": following\n\n"),
        ...Array.from({ length: 6 }, () => away),
        () => stream(endless()),
      ];
      await using server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch({ url }) {
          if (url.includes("follow=true")) return responses.shift()!();
          return Response.json(url.includes("who-am-i") ? { account: "default", role: "admin" } : { data: [] });
        },
      });
      const environment = { ...bench.cli.environment, TOLLGATE_URL: server.url.origin };
      const following = bench.cli.start(words.split(" "), { environment });
      let noted = "";
      const reading = (async () => {
        for await (const chunk of following.stderr) noted += new TextDecoder().decode(chunk);
      })();
      await until(() => noted.includes("back"));
      following.kill("SIGINT");
      expect(await following.exited).toBe(0);
      await reading;
      expect(noted).toBe("The connection was lost; reconnecting. Storage is away.\nThe connection is back.\n");
      expect(await following.stdout.text()).toBe("");
    },
  );
});
