/**
 * The rival of creating and verifying keys: better-auth's api-key plugin over a SQLite file, behind as little HTTP as can be.
 * `better-auth-server.ts FILE SYNCHRONOUS` prints its port. On Bun it does about twice what it does on Node with better-sqlite3.
 */
import { Database } from "bun:sqlite";
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { serve } from "bun";

const [file, synchronous] = process.argv.slice(2) as [string, string];

const database = new Database(file);
database.run("PRAGMA journal_mode = WAL");
database.run(`PRAGMA synchronous = ${synchronous}`);

const auth = betterAuth({
  database,
  baseURL: "http://127.0.0.1",
  secret: crypto.randomUUID(),
  logger: { disabled: true },
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  // Its default allows ten requests a day.
  plugins: [apiKey({ rateLimit: { enabled: false } })],
});
await (await getMigrations(auth.options)).runMigrations();
const owner = { name: "bench", email: "bench@example.com", password: crypto.randomUUID() };
const { user } = await auth.api.signUpEmail({ body: owner });

const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/create": {
      async POST(request) {
        const { name } = (await request.json()) as { name: string };
        return Response.json(await auth.api.createApiKey({ body: { name, userId: user.id } }));
      },
    },
    "/verify": {
      async POST(request) {
        const { key } = (await request.json()) as { key: string };
        const verdict = await auth.api.verifyApiKey({ body: { key } });
        return Response.json(verdict, { status: verdict.valid ? 200 : 401 });
      },
    },
  },
});
console.log(server.port);
