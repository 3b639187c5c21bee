import { describe, expect, test } from "bun:test";
import { joined } from "../../test/support/people.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { InvitedMember, Member, RemovedMember, Session } from "../client/index.ts";

const bench = useCli();

describe("members", () => {
  test("are invited, listed, shown and invited again; the link is shown once", async () => {
    const { cli, client } = bench;
    const words = ["members", "invite", "ada@acme.example", "--role", "editor", "--name", "Ada"];
    const invited = await cli.run([...words, "--project", "orders=editor", "--project", "billing=reader"]);
    expect(invited).toMatchObject({ status: 0, stderr: expect.stringContaining("pass on the link now") });
    expect(invited.stdout).toContain(`${bench.server.url}/console/join#tgi_`);
    const { data } = await cli.json<{ data: Member[] }>("members list");
    expect(data).toMatchObject([
      {
        email: "ada@acme.example",
        name: "Ada",
        role: "editor",
        state: "invited",
        projects: [
          { project: "orders", role: "editor" },
          { project: "billing", role: "reader" },
        ],
      },
    ]);
    const { id } = data[0]!;
    expect((await cli.run("members list")).stdout).toContain("ada@acme.example");
    expect(await cli.json(["members", "show", id])).toEqual(await client.members.get(id));
    expect((await cli.run(["members", "show", id])).stdout).not.toContain("tgi_");
    const again = await cli.json<InvitedMember>(["members", "resend", id]);
    expect(again).toMatchObject({ id, state: "invited" });
    expect(invited.stdout).not.toContain(again.invitationUrl!);
  });

  test("are changed, in part or to nothing", async () => {
    const { cli, client } = bench;
    const { id } = await client.members.invite({
      email: "bo@acme.example",
      role: "editor",
      name: "Bo",
      projects: [{ project: "orders", role: "editor" }],
    });
    const named = await cli.json<Member>(["members", "update", id, "--name", "Bob"]);
    expect(named).toMatchObject({ name: "Bob", role: "editor", projects: [{ project: "orders", role: "editor" }] });
    const words = ["members", "update", id, "--role", "billing", "--clear", "projects", "--clear", "name"];
    const changed = await cli.json<Member>(words);
    expect(changed).toMatchObject({ role: "billing" });
    for (const field of ["name", "projects"]) expect(changed).not.toHaveProperty(field);
    expect(await client.members.get(id)).toEqual(changed);
  });

  test("are removed after a question, with the tokens that they created", async () => {
    const { cli, client, server } = bench;
    // The last admin cannot be removed.
    await joined(server.client, { email: "eve@acme.example", role: "admin" });
    const { id, browser } = await joined(server.client, { email: "cy@acme.example", role: "admin" });
    const created = await browser.post("/v1/accounts/default/tokens", { name: "cron", role: "reader" });
    expect(created.status).toBe(200);
    const asked = await cli.run(["members", "remove", id]);
    expect(asked).not.toMatchObject({ status: 0 });
    expect((await client.members.get(id)).state).toBe("active");
    const removed = await cli.run(["members", "remove", id, "--yes"]);
    expect(removed).toMatchObject({ status: 0, stderr: expect.stringContaining("1 of their sessions ended") });
    expect(removed.stdout).toContain(created.body.id);
    expect((await browser.get("/v1/who-am-i")).status).toBe(401);
    const gone = await cli.run(["members", "show", id]);
    expect(gone).toMatchObject({ status: 1, stdout: "" });
    // An invitation is withdrawn in the same way.
    const invited = await client.members.invite({ email: "di@acme.example", role: "reader" });
    const withdrawn = await cli.json<RemovedMember>(["members", "remove", invited.id, "--yes"]);
    expect(withdrawn).toEqual({ sessions: 0, tokens: [] });
  });

  test("are rejected with the option or the field", async () => {
    const { cli, client } = bench;
    const before = (await client.members.list({ limit: 100 }).page()).data;
    for (const [words, status, text] of [
      ["members invite ed@acme.example", 2, "--role"],
      ["members invite ed@acme.example --role owner", 2, "admin"],
      ["members invite ed@acme.example --role editor --project orders", 2, "must be a project and its role"],
      ["members invite nobody --role reader", 1, "email"],
      ["members update prsn_missing", 2, "nothing to change"],
      ["members resend prsn_missing", 1, "not"],
    ] as const) {
      const result = await cli.run(words);
      expect([words, result.status, result.stderr]).toEqual([words, status, expect.stringContaining(text)]);
    }
    expect((await client.members.list({ limit: 100 }).page()).data).toEqual(before);
  });
});

describe("sessions", () => {
  test("are listed with their owner, and ended after a question", async () => {
    const { cli, server } = bench;
    const { browser, sessionId } = await joined(server.client, { email: "fay@acme.example", role: "reader" });
    const { data } = await cli.json<{ data: Session[] }>("sessions list");
    expect(data.find(({ id }) => id === sessionId)).toMatchObject({
      method: "invitation",
      owner: { type: "person", name: "fay@acme.example" },
    });
    const listed = await cli.run("sessions list");
    expect(listed.stdout).toContain("fay@acme.example");
    expect(listed.stdout).toContain(sessionId);
    expect(await cli.run(["sessions", "end", sessionId])).not.toMatchObject({ status: 0 });
    expect((await browser.get("/v1/who-am-i")).status).toBe(200);
    expect(await cli.run(["sessions", "end", sessionId, "--yes"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`Deleted the session ${sessionId}`),
    });
    expect((await browser.get("/v1/who-am-i")).status).toBe(401);
    expect(await cli.run(["sessions", "end", sessionId, "--yes"])).toMatchObject({ status: 1, stdout: "" });
  });
});
