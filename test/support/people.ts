import { expect } from "bun:test";
import type { Client, RequestHeaders } from "./client.ts";

export interface Member {
  email: string;
  role: string;
  name?: string;
  projects?: { project: string; role: string }[];
}

/** The headers of a request from a page of the server. */
export function ownHeaders({ url }: { url: string }): RequestHeaders {
  return { origin: url, "content-type": "application/json" };
}

/** Invites a person, and returns what follows `#` in the link. */
export async function invite(admin: Client, member: Member, account = "default") {
  const { status, body } = await admin.post(`/v1/accounts/${account}/members`, member);
  expect(status).toBe(200);
  return { id: body.id as string, invitation: (body.invitationUrl as string).split("#")[1]! };
}

export function cookieOf({ headers }: { headers: Headers }): string {
  return headers.get("set-cookie")!.split(";")[0]!;
}

/** Invites a person, who accepts. Returns their browser. */
export async function joined(admin: Client, member: Member, account = "default") {
  const { invitation } = await invite(admin, member, account);
  const accepted = await admin.anonymous().post("/v1/invitations/$accept", { invitation }, ownHeaders(admin));
  expect(accepted.status).toBe(200);
  const cookie = cookieOf(accepted);
  const id: string = accepted.body.caller.sub;
  return { id, cookie, browser: admin.withCookie(cookie), sessionId: accepted.body.id as string };
}

/** Signs a browser in with a token. */
export async function signedIn(client: Client, token: string) {
  const created = await client.anonymous().post("/v1/sessions", { token }, ownHeaders(client));
  expect(created.status).toBe(200);
  const cookie = cookieOf(created);
  return { cookie, browser: client.withCookie(cookie), sessionId: created.body.id as string };
}
