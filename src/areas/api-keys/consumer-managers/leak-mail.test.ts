import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useMailServer } from "../../../../test/support/mail-server.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

const source = "github";
const url = "https://github.com/acme/website/blob/main/config.js";

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
  });
  afterAll(() => server.stop());

  /** A consumer with keys and managers. */
  async function scene(name: string, { onLeak = "mark", keys: count = 1 } = {}) {
    const { client } = server;
    const bucket = `/v1/accounts/${account}/key-buckets/${name}`;
    await client.post(`/v1/accounts/${account}/key-buckets`, { name, onLeak });
    const managers = [
      { sub: "auth0|ada", email: `Ada@${name}.example` },
      { sub: "auth0|bob", email: `bob@${name}.example` },
      { sub: "auth0|eve" },
    ];
    await client.post(`${bucket}/consumers`, { name: "acme", managers });
    const keys: { id: string; key: string }[] = [];
    for (let number = 0; number < count; number++)
      keys.push((await client.post(`${bucket}/consumers/acme/keys`, { description: `<b>key ${number}` })).body);
    return { bucket, keys };
  }

  async function report(bucket: string, keys: string[]): Promise<void> {
    const { status, body } = await server.client.post(`${bucket}/keys/$leaked`, { keys, source, url });
    expect(status).toBe(202);
    await until(
      async () => (await server.client.get(`/v1/accounts/${account}/jobs/${body.jobId}`)).body.state === "succeeded",
      { what: "the report to be processed" },
    );
    await server.catchUp();
  }

  test("each manager with an address gets one mail, without the value of the key", async () => {
    const { bucket, keys } = await scene("one");
    const value = keys[0]!.key;
    await report(bucket, [value, "tg_0123456789abcdef0123456789abcdef_7759b50e"]);
    for (const address of ["Ada@one.example", "bob@one.example"]) {
      const [mail, ...more] = smtp.to(address);
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ subject: "A key of acme was reported as leaked" });
      expect(mail!.from).toContain(account);
      expect(mail!.text).toContain(`****${value.slice(-8)} (<b>key 0) was found by ${source}, ${url}. It still works.`);
      expect(mail!.html).toContain("&lt;b&gt;key 0");
      expect(mail!.raw).not.toContain(value);
    }
    // A second report of the same key changes nothing, and sends no further mail.
    await report(bucket, [value]);
    expect(smtp.to("bob@one.example")).toHaveLength(1);
    const { data } = (await server.client.get(`/v1/accounts/${account}/mails`)).body;
    expect(data.filter(({ kind }: { kind: string }) => kind === "leaked-key")).toMatchObject([
      { state: "sent" },
      { state: "sent" },
    ]);
  });

  test("several keys of a report are one mail, which says that they are disabled, and leads to the portal", async () => {
    const { bucket, keys } = await scene("many", { onLeak: "disable", keys: 12 });
    await server.client.raw("PUT", `${bucket}/portal`, JSON.stringify({ title: "Acme" }));
    await report(
      bucket,
      keys.map(({ key }) => key),
    );
    const mails = smtp.to("bob@many.example");
    expect(mails).toHaveLength(1);
    expect(mails[0]!.subject).toBe("12 keys of acme were reported as leaked");
    expect(mails[0]!.text.match(/It has been disabled\./g)).toHaveLength(10);
    expect(mails[0]!.text).toContain("And 2 more.");
    expect(mails[0]!.text).toMatch(/Open your keys:\nhttp:\/\/many-[0-9a-f]{7}\.portal\.localhost/);
  });

  test("a value that is no key sends no mail", async () => {
    const { bucket } = await scene("none");
    await report(bucket, ["not a key at all"]);
    expect(smtp.to("bob@none.example")).toEqual([]);
  });

  test("the description of a key with a link or a line break is not in the mail", async () => {
    const { bucket, keys } = await scene("hostile", { keys: 2 });
    for (const [index, description] of ["Go to https://evil.example", "a\nb"].entries())
      await server.client.patch(`${bucket}/consumers/acme/keys/${keys[index]!.id}`, { description });
    await report(
      bucket,
      keys.map(({ key }) => key),
    );
    const [mail] = smtp.to("bob@hostile.example");
    expect(mail!.text).not.toContain("evil");
    for (const { key } of keys) expect(mail!.text).toContain(`The key ****${key.slice(-8)} was found by`);
  });
});
