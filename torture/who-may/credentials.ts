import { expect } from "bun:test";
import { memberRoles, type ProjectRole, type Role, tokenRoles } from "../../src/core/access.ts";
import type { Client } from "../../test/support/client.ts";
import { joined, signedIn } from "../../test/support/people.ts";
import { customerBrowser, portalPath } from "../../test/support/portal.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { until } from "../../test/support/until.ts";
import type { World } from "../world.ts";

export interface Credential {
  name: string;
  /**
   * A role of this account, a credential that is always rejected, a token of another account, or a person of
   * another account, who cannot name this one.
   */
  kind: HolderKind | "nobody" | "stranger" | "outsider";
  /** The client with this credential. */
  as(client: Client): Client;
}

export interface HolderKind {
  role: Exclude<Role, "manager">;
  /** A session instead of a token: of a person, or of a browser that was signed in with the token. */
  session?: "person" | "token";
  /** The role is limited to a project: that of the world, or another one. */
  project?: { isOurs: boolean; role: ProjectRole["role"] };
}

/** Every kind of session. */
const sessionKinds: HolderKind[] = [
  ...memberRoles.map((role): HolderKind => ({ role, session: "person" })),
  { role: "admin", session: "token" },
  { role: "reader", session: "token" },
  { role: "editor", session: "person", project: { isOurs: true, role: "editor" } },
  { role: "editor", session: "person", project: { isOurs: true, role: "reader" } },
  { role: "editor", session: "person", project: { isOurs: false, role: "editor" } },
  { role: "reader", session: "person", project: { isOurs: true, role: "reader" } },
];

/** Every kind of credential, in relation to one account. */
export async function credentialsOf(operator: Client, ours: World, others: World): Promise<Credential[]> {
  const portalSession = await portalSessionOf(operator, ours);
  const bearer = (token: string) => (client: Client) => client.as(token);
  return [
    { name: "none", kind: "nobody", as: (client) => client.anonymous() },
    { name: "an empty one", kind: "nobody", as: bearer("") },
    {
      name: "one that was never given out",
      kind: "nobody",
      as: bearer(`tgt_${"0123456789abcdef".repeat(2)}_7759b50e`),
    },
    { name: "an admin's with a letter changed", kind: "nobody", as: bearer(changed(ours.tokens.admin)) },
    { name: "an API key", kind: "nobody", as: bearer(ours.key) },
    { name: "an expired admin's", kind: "nobody", as: bearer(await expiredToken(operator, ours)) },
    { name: "a deleted admin's", kind: "nobody", as: bearer(await deletedToken(operator, ours)) },
    ...tokenRoles.map((role): Credential => ({ name: role, kind: { role }, as: bearer(ours.tokens[role]) })),
    ...tokenRoles.map(
      (role): Credential => ({ name: `${role} of another account`, kind: "stranger", as: bearer(others.tokens[role]) }),
    ),
    { name: "operator", kind: { role: "operator" }, as: bearer(operatorToken) },
    ...(await Promise.all(
      sessionKinds.map(async (kind): Promise<Credential> => {
        const holder = await holderIn(operator, ours, kind);
        return { name: nameOf(kind), kind, as: () => holder };
      }),
    )),
    {
      name: "the session of a person of another account",
      kind: "outsider",
      as: always(await holderIn(operator, others, { role: "admin", session: "person" })),
    },
    { name: "the session of a removed person", kind: "nobody", as: always(await removedPerson(operator, ours)) },
    {
      name: "the session of a customer at a portal",
      kind: "nobody",
      as: (client) => client.withCookie(`tollgate-portal=${portalSession}`),
    },
    {
      name: "the session of a customer in the console's cookie",
      kind: "nobody",
      as: (client) => client.withCookie(`tollgate-session=${portalSession}`),
    },
    { name: "the session of a customer as a token", kind: "nobody", as: bearer(portalSession) },
    {
      name: "a session that was never created",
      kind: "nobody",
      as: (client) => client.withCookie(`tollgate-session=tgs_${"0123456789abcdef".repeat(2)}_7759b50e`),
    },
  ];
}

/** The value of a session that may do everything at the portal of a world. */
async function portalSessionOf(operator: Client, { account, parameters }: World): Promise<string> {
  const path = portalPath(parameters.bucketName, account);
  const { url } = (await operator.get(path)).body;
  const browser = await customerBrowser(
    { url: operator.url, client: operator },
    url,
    parameters.consumerName!,
    {},
    path,
  );
  return browser.cookie!.split("=")[1]!;
}

let people = 0;

/** A holder of that kind in a world. */
export async function holderIn(operator: Client, world: World, kind: HolderKind): Promise<Client> {
  const { role, session, project } = kind;
  if (role === "operator") return operator;
  if (session === undefined) return operator.as(world.tokens[role]);
  if (session === "token") return (await signedIn(operator, world.tokens[role])).browser;
  const name = project?.isOurs ? world.parameters.projectName! : "another-project";
  const projects = project && [{ project: name, role: project.role }];
  const member = { email: `holder-${++people}@acme.example`, role, ...(projects && { projects }) };
  return (await joined(operator, member, world.account)).browser;
}

const always = (holder: Client) => () => holder;

function nameOf({ role, session, project }: HolderKind): string {
  const where = project ? ` as ${project.role} of ${project.isOurs ? "the" : "another"} project` : "";
  return `the session of ${session === "person" ? "a person" : "a token"} (${role})${where}`;
}

async function removedPerson(operator: Client, { account }: World): Promise<Client> {
  const { id, browser } = await joined(operator, { email: "removed@acme.example", role: "editor" }, account);
  expect((await browser.get("/v1/who-am-i")).status).toBe(200);
  expect((await operator.delete(`/v1/accounts/${account}/members/${id}`)).status).toBe(200);
  return browser;
}

function changed(token: string): string {
  return token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
}

async function expiredToken(operator: Client, { account }: World): Promise<string> {
  const expiresOn = new Date(Date.now() + 300).toISOString();
  const { body } = await operator.post(`/v1/accounts/${account}/tokens`, { role: "admin", expiresOn });
  const isExpired = async () => (await operator.as(body.token).get("/v1/who-am-i")).status === 401;
  await until(isExpired, { what: "a token to expire" });
  return body.token;
}

/** Used once before its deletion, so that the server has cached it. */
async function deletedToken(operator: Client, { account }: World): Promise<string> {
  const path = `/v1/accounts/${account}/tokens`;
  const { body } = await operator.post(path, { role: "admin" });
  expect((await operator.as(body.token).get("/v1/who-am-i")).status).toBe(200);
  expect((await operator.delete(`${path}/${body.id}`)).status).toBe(204);
  return body.token;
}
