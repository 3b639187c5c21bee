import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const [portal, clientId] = process.argv.slice(2);
if (!portal || !clientId) {
  process.stderr.write("Usage: node login.ts https://portal.example.com oac_…\n");
  process.exit(2);
}

const base64url = (bytes: Buffer): string => bytes.toString("base64url");
const verifier = base64url(randomBytes(32));
const state = base64url(randomBytes(16));

const metadata = await fetchJson(new URL("/.well-known/oauth-authorization-server", portal));
const issuer = metadata.issuer as string;
if (issuer !== new URL(portal).origin) throw new Error(`${portal} names another issuer: ${issuer}`);

// Any free port: the portal compares loopback addresses without it.
const { redirectUri, code } = await listen();
const address = new URL(metadata.authorization_endpoint as string);
address.search = new URLSearchParams({
  response_type: "code",
  client_id: clientId,
  redirect_uri: redirectUri,
  code_challenge: base64url(createHash("sha256").update(verifier).digest()),
  code_challenge_method: "S256",
  state,
}).toString();
process.stdout.write(`Open this address in your browser:\n\n${address}\n\n`);

const tokens = await fetchJson(metadata.token_endpoint as string, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "authorization_code",
    code: await code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  }),
});
const file = join(process.env.OAUTH_LOGIN_DIRECTORY ?? join(homedir(), ".config", "oauth-login"), "tokens.json");
await mkdir(dirname(file), { recursive: true, mode: 0o700 });
await writeFile(file, JSON.stringify({ portal, clientId, ...tokens }), { mode: 0o600 });
process.stdout.write(`Signed in. The tokens are in ${file}.\n`);

/** Listens for the browser that the portal sends back. */
async function listen(): Promise<{ redirectUri: string; code: Promise<string> }> {
  const received = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (pathname !== "/callback") return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain", connection: "close" });
    response.end("You can close this page.");
    server.close();
    // Another authorization server must not get a code of this one, and no other page may send one (RFC 9207, RFC 6749).
    if (searchParams.get("iss") !== issuer || searchParams.get("state") !== state)
      return received.reject(new Error("The response is not one to this request."));
    const error = searchParams.get("error");
    if (error !== null) return received.reject(new Error(searchParams.get("error_description") ?? error));
    received.resolve(searchParams.get("code") ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { redirectUri: `http://127.0.0.1:${port}/callback`, code: received.promise };
}

async function fetchJson(url: string | URL, init?: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(url, init);
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(String(body.error_description ?? body.detail ?? response.status));
  return body;
}
