import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { invite, joined, ownHeaders } from "../../../../test/support/people.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";

const day = 24 * 60 * 60 * 1000;
const members = "/v1/accounts/default/members";

let count = 0;
const address = () => `person-${++count}@acme.example`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const visitor = client.anonymous();
  const accept = (invitation: string) => visitor.post("/v1/invitations/$accept", { invitation }, ownHeaders(server));
  const show = (invitation: string) => visitor.post("/v1/invitations/$show", { invitation }, ownHeaders(server));

  describe("an invitation", () => {
    test("has a link that is shown once, and stored as a hash", async () => {
      const email = address();
      const { status, body } = await client.post(members, { email, name: "Ada", role: "editor" });
      expect(status).toBe(200);
      const { invitationUrl, ...member } = body;
      expect(member).toEqual({
        id: expect.stringMatching(/^prsn_/),
        email,
        name: "Ada",
        role: "editor",
        state: "invited",
        roleSource: "invitation",
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
        invitationExpiresOn: clock.iso(7 * day),
      });
      expect(invitationUrl).toMatch(new RegExp(`^${server.url}/console/join#tgi_[0-9a-f_]+$`));
      expect((await client.get(`${members}/${body.id}`)).body).toEqual(member);
      const value = invitationUrl.split("#")[1];
      expect(holdText(await tableContent(server.database, "members"), value)).toBe(false);
      expect(holdText(await tableContent(server.database, "changes"), value)).toBe(false);
      expect(server.log).not.toContain(value);
    });

    test("does not tell whether the address was known on this server", async () => {
      const known = address();
      const { id: person } = await joined(client, { email: known, role: "reader" });
      const name = `inviting-${engine.name}`;
      const admin = await strangerOf(client, name);
      const path = `/v1/accounts/${name}/members`;
      const invitedAs = async (email: string) => {
        const { body } = await admin.post(path, { email, role: "reader" });
        return body as { id: string; email: string; invitationUrl: string };
      };
      clock.advance(day);
      const spelled = known.toUpperCase();
      const first = await invitedAs(spelled);
      const second = await invitedAs(address());
      // Ids begin with the time of their creation, so both look new.
      expect(first.id.slice(0, 10)).toBe(second.id.slice(0, 10));
      expect(first.id).not.toBe(person);
      expect(first.email).toBe(spelled);
      const { invitationUrl: _, ...shown } = first;
      expect((await admin.get(`${path}/${first.id}`)).body).toEqual(shown);
      // A guess of the person's id is not confirmed either.
      expectProblem(await admin.get(`${path}/${person}`), 404, "not_found");
      const logged = (await admin.get(`/v1/accounts/${name}/audit-log?action=member.invited`)).text;
      expect(logged).toContain(first.id);
      expect(logged).not.toContain(person);
      expect(logged).not.toContain(known);

      expect((await accept(first.invitationUrl.split("#")[1]!)).body.caller.sub).toBe(person);
      for (const id of [first.id, person])
        expect((await admin.get(`${path}/${id}`)).body).toMatchObject({ id: person, email: known });
      expect((await admin.delete(`${path}/${first.id}`)).status).toBe(200);
      expectProblem(await admin.get(`${path}/${person}`), 404, "not_found");
    });

    test("can be read and is accepted once, which signs the person in", async () => {
      const email = address();
      const { id, invitation } = await invite(client, { email, role: "reader", name: "Bo" });
      expect((await show(invitation)).body).toEqual({
        account: "default",
        email,
        name: "Bo",
        role: "reader",
        expiresOn: clock.iso(7 * day),
      });
      const accepted = await accept(invitation);
      expect(accepted.body).toMatchObject({
        id: expect.stringMatching(/^sess_/),
        caller: { sub: id, type: "person", account: "default", role: "reader", email },
      });
      const cookie = accepted.headers.get("set-cookie")!;
      expect(cookie).toMatch(/^tollgate-session=tgs_[0-9a-f_]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
      const identity = await visitor.get("/v1/who-am-i", { cookie: cookie.split(";")[0]! });
      expect(identity.body).toEqual({
        sub: id,
        type: "person",
        account: "default",
        role: "reader",
        email,
        name: "Bo",
        accounts: [{ account: "default", role: "reader" }],
      });
      expect((await client.get(`${members}/${id}`)).body).toMatchObject({ state: "active", signedInOn: clock.iso() });
      expectProblem(await accept(invitation), 404, "invitation_invalid");
      expectProblem(await show(invitation), 404, "invitation_invalid");
    });

    test("is accepted by one of two concurrent requests", async () => {
      const { invitation } = await invite(client, { email: address(), role: "reader" });
      const responses = await Promise.all([accept(invitation), accept(invitation), accept(invitation)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    });

    test("expires after 7 days, and can be repeated with a new link", async () => {
      const { id, invitation } = await invite(client, { email: address(), role: "reader" });
      clock.advance(7 * day);
      expectProblem(await accept(invitation), 404, "invitation_invalid");
      const again = await client.post(`${members}/${id}/$invite`);
      expect(again.body).toMatchObject({ id, state: "invited", invitationExpiresOn: clock.iso(7 * day) });
      expectProblem(await accept(invitation), 404, "invitation_invalid");
      expect((await accept(again.body.invitationUrl.split("#")[1])).status).toBe(200);
      expectProblem(await client.post(`${members}/${id}/$invite`), 409, "member_active");
    });

    test("is withdrawn by removing the member", async () => {
      const { id, invitation } = await invite(client, { email: address(), role: "reader" });
      expect((await client.delete(`${members}/${id}`)).body).toEqual({ sessions: 0, tokens: [] });
      expectProblem(await accept(invitation), 404, "invitation_invalid");
    });

    test("is for one member per address, ignoring case", async () => {
      const email = address();
      await invite(client, { email, role: "reader" });
      const responses = [await client.post(members, { email: email.toUpperCase(), role: "admin" })];
      const other = address();
      responses.push(
        ...(await Promise.all([1, 2, 3].map(() => client.post(members, { email: other, role: "reader" })))),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expectProblem(responses[0]!, 409, "member_exists");
    });

    test.each(
      casesFor(engine, [
        [{ role: "reader" }, "/email"],
        [{ email: "nobody", role: "reader" }, "/email"],
        [{ email: "a@b.example" }, "/role"],
        [{ email: "a@b.example", role: "verifier" }, "/role"],
        [{ email: "a@b.example", role: "reader", name: "" }, "/name"],
        [{ email: "a@b.example", role: "reader", projects: [] }, "/projects"],
        [{ email: "a@b.example", role: "admin", projects: [{ project: "x", role: "reader" }] }, "/projects"],
        [{ email: "a@b.example", role: "reader", projects: [{ project: "x", role: "editor" }] }, "/projects/0/role"],
        [
          {
            email: "a@b.example",
            role: "reader",
            projects: ["x", "x"].map((project) => ({ project, role: "reader" })),
          },
          "/projects/1/project",
        ],
        [{ email: "a@b.example", role: "reader", state: "active" }, "/state"],
      ]),
    )("is not made from %p", async (body, pointer) => {
      const { total } = (await client.get(members)).body;
      expectProblem(await client.post(members, body), 400, "validation_failed", { pointer });
      expect((await client.get(members)).body.total).toBe(total);
    });

    test("is accepted only by a page of the server itself", async () => {
      const { invitation } = await invite(client, { email: address(), role: "reader" });
      const headers = { origin: "https://evil.example", "content-type": "application/json" };
      expectProblem(await visitor.post("/v1/invitations/$accept", { invitation }, headers), 403, "origin_mismatch");
      expectProblem(await visitor.post("/v1/invitations/$show", { invitation }, headers), 403, "origin_mismatch");
      expect((await accept(invitation)).status).toBe(200);
    });
  });

  describe("a member", () => {
    test("acts in the audit log as a person", async () => {
      const email = address();
      const { id, browser, sessionId } = await joined(client, { email, role: "admin", name: "Ada" });
      expect((await browser.post("/v1/accounts/default/key-buckets", { name: `by-${count}` })).status).toBe(200);
      const actor = { type: "person", id, name: "Ada" };
      const { body } = await client.get(`/v1/accounts/default/audit-log?actor=${id}`);
      expect(body.data).toMatchObject([
        { action: "bucket.created", actor },
        { action: "session.created", actor: { type: "person", id }, resource: { type: "session", id: sessionId } },
        { action: "member.joined", actor, resource: { type: "member", id, name: "Ada" } },
      ]);
      const invited = await client.get(`/v1/accounts/default/audit-log?resource=${id}&action=member.invited`);
      expect(invited.body.data).toMatchObject([{ actor: { type: "token" }, resource: { id } }]);
    });

    test("gets another role with the next request", async () => {
      const { id, browser } = await joined(client, { email: address(), role: "reader" });
      const bucket = { name: `another-${++count}` };
      expectProblem(await browser.post("/v1/accounts/default/key-buckets", bucket), 403, "forbidden");
      const updated = await client.patch(`${members}/${id}`, { role: "editor", name: "Cy" });
      expect(updated.body).toMatchObject({ role: "editor", name: "Cy" });
      expect((await browser.post("/v1/accounts/default/key-buckets", bucket)).status).toBe(200);
      expect((await client.patch(`${members}/${id}`, { name: null })).body.name).toBeUndefined();
      expectProblem(await client.patch(`${members}/${id}`, { email: "x@y.example" }), 400, "validation_failed");
      const limited = { role: "reader", projects: [{ project: "x", role: "editor" }] };
      expectProblem(await client.patch(`${members}/${id}`, limited), 400, "validation_failed");
      expect((await client.get(`${members}/${id}`)).body).toMatchObject({ role: "editor" });
    });

    test("is removed with all sessions at once, and their tokens are listed", async () => {
      const email = address();
      const { id, browser } = await joined(client, { email, role: "admin" });
      await joined(client, { email: address(), role: "admin" });
      const { body: token } = await browser.post("/v1/accounts/default/tokens", { role: "reader", name: "from Ada" });
      expect(token.createdBy).toBe(id);
      const removed = await client.delete(`${members}/${id}`);
      expect(removed.body).toMatchObject({ sessions: 1, tokens: [{ id: token.id, name: "from Ada", createdBy: id }] });
      expect(removed.text).not.toContain(token.token);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expectProblem(await client.get(`${members}/${id}`), 404, "not_found");
      expect((await client.as(token.token).get("/v1/who-am-i")).status).toBe(200);
      const back = await joined(client, { email, role: "reader" });
      expect(back.id).toBe(id);
      expect((await back.browser.get("/v1/who-am-i")).body.role).toBe("reader");
    });

    test("is changed only with the current ETag", async () => {
      const { id } = await invite(client, { email: address(), role: "reader" });
      const stale = { "if-match": '"other"' };
      expectProblem(await client.patch(`${members}/${id}`, { role: "editor" }, stale), 412, "precondition_failed");
      expectProblem(await client.delete(`${members}/${id}`, stale), 412, "precondition_failed");
      expect((await client.get(`${members}/${id}`)).body.role).toBe("reader");
    });
  });

  describe("the last admin", () => {
    test("is neither removed nor given another role", async () => {
      const operator = client.as(operatorToken);
      await operator.post("/v1/accounts", { name: `solo-${engine.name}` });
      const path = `/v1/accounts/solo-${engine.name}`;
      const one = await joined(operator, { email: address(), role: "admin" }, `solo-${engine.name}`);
      // An invited admin is not an admin yet.
      await invite(operator, { email: address(), role: "admin" }, `solo-${engine.name}`);
      expectProblem(await operator.delete(`${path}/members/${one.id}`), 409, "last_admin");
      expectProblem(await operator.patch(`${path}/members/${one.id}`, { role: "editor" }), 409, "last_admin");
      expect((await one.browser.get(`${path}/members`)).status).toBe(200);
      const two = await joined(operator, { email: address(), role: "admin" }, `solo-${engine.name}`);
      const removals = await Promise.all([one, two].map(({ id }) => operator.delete(`${path}/members/${id}`)));
      expect(removals.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe("a person in several accounts", () => {
    test("names the account, and an invitation's session is valid in its account only", async () => {
      const operator = client.as(operatorToken);
      const name = `second-${engine.name}`;
      await operator.post("/v1/accounts", { name });
      const email = address();
      const first = await joined(client, { email, role: "reader" });
      const second = await joined(operator, { email, role: "admin" }, name);
      expect(second.id).toBe(first.id);
      // The holder of the second link does not become the person in the first account.
      expectProblem(await second.browser.get("/v1/accounts/default/key-buckets"), 404, "not_found");
      expectProblem(await second.browser.get("/v1/deployments?accountName=default"), 404, "not_found");
      expect((await second.browser.get("/v1/deployments")).status).toBe(200);
      expect((await second.browser.get("/v1/who-am-i")).body).toMatchObject({ account: name, role: "admin" });
      expectProblem(await first.browser.get(`/v1/accounts/${name}/members`), 404, "not_found");
      // Removal from one account ends their sessions there, and nothing in the other.
      expect((await client.delete(`${members}/${first.id}`)).body.sessions).toBe(1);
      expectProblem(await first.browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expect((await second.browser.get("/v1/who-am-i")).status).toBe(200);
      expect((await operator.get(`/v1/accounts/${name}/members/${first.id}`)).body.state).toBe("active");
    });
  });

  describe("sessions", () => {
    const sessions = "/v1/accounts/default/sessions";

    test("sessions of an account are listed and ended by an admin", async () => {
      const email = address();
      const { id, browser, sessionId } = await joined(client, { email, role: "editor" });
      const { body } = await client.get(sessions);
      expect(body.data.find((each: { id: string }) => each.id === sessionId)).toEqual({
        id: sessionId,
        owner: { type: "person", id, name: email },
        method: "invitation",
        ip: "127.0.0.1",
        createdOn: clock.iso(),
        lastUsedOn: clock.iso(),
        expiresOn: clock.iso(7 * day),
        isCurrent: false,
      });
      const own = await browser.get("/v1/sessions");
      expect(own.body).toMatchObject({ total: 1, data: [{ id: sessionId, isCurrent: true }] });
      expectProblem(await browser.get(sessions), 403, "forbidden");
      expectProblem(await browser.delete(`${sessions}/${sessionId}`), 403, "forbidden");
      const stranger = await strangerOf(client, `stranger-${++count}-${engine.name}`);
      expectProblem(await stranger.delete(`${sessions}/${sessionId}`), 404, "not_found");
      const elsewhere = `/v1/accounts/stranger-${count}-${engine.name}/sessions/${sessionId}`;
      expectProblem(await stranger.delete(elsewhere), 404, "not_found");
      expect((await browser.get("/v1/who-am-i")).status).toBe(200);
      expect((await client.delete(`${sessions}/${sessionId}`)).status).toBe(204);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
      expectProblem(await client.delete(`${sessions}/${sessionId}`), 404, "not_found");
    });

    test("get a new id at sign-in, which ends the one of the browser before", async () => {
      const { browser, cookie } = await joined(client, { email: address(), role: "reader" });
      const { invitation } = await invite(client, { email: address(), role: "editor" });
      const headers = { ...ownHeaders(server), cookie };
      const accepted = await visitor.post("/v1/invitations/$accept", { invitation }, headers);
      expect(accepted.headers.get("set-cookie")).not.toContain(cookie);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
    });

    test("end when their owner signs out", async () => {
      const { browser } = await joined(client, { email: address(), role: "reader" });
      expect((await browser.delete("/v1/sessions/current")).status).toBe(204);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
    });

    test("end with their account", async () => {
      const operator = client.as(operatorToken);
      const name = `ending-${engine.name}`;
      await operator.post("/v1/accounts", { name });
      const { browser } = await joined(operator, { email: address(), role: "reader" }, name);
      expect((await operator.delete(`/v1/accounts/${name}`)).status).toBe(204);
      expectProblem(await browser.get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  test("only admins of the account manage its members", async () => {
    const { id } = await invite(client, { email: address(), role: "reader" });
    const calls = [() => members, () => `${members}/${id}`];
    for (const role of ["editor", "reader", "billing", "verifier"] as const) {
      const caller = await callerWithRole(client, role);
      for (const path of calls) expectProblem(await caller.get(path()), 403, "forbidden");
      expectProblem(await caller.post(members, { email: address(), role: "admin" }), 403, "forbidden");
      expectProblem(await caller.patch(`${members}/${id}`, { role: "admin" }), 403, "forbidden");
      expectProblem(await caller.delete(`${members}/${id}`), 403, "forbidden");
      expectProblem(await caller.post(`${members}/${id}/$invite`), 403, "forbidden");
    }
    const stranger = await strangerOf(client, `other-${engine.name}`);
    expectProblem(await stranger.get(members), 404, "not_found");
    expectProblem(await stranger.get(`/v1/accounts/other-${engine.name}/members/${id}`), 404, "not_found");
    expectProblem(await visitor.get(members), 401, "unauthenticated");
  });
});
