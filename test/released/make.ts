/**
 * `bun test/released/make.ts` in the checkout of a release: fills a server of that release on both engines by its own
 * API and writes the databases and responses to `test/released/<version>/`. See README.md.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { engines } from "../support/engines.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { MailServer } from "../support/mail-server.ts";
import { ModelProvider } from "../support/model-provider.ts";
import { startPostgres } from "../support/postgres.ts";
import { runSql } from "../support/run-sql.ts";
import { startServer } from "../support/server.ts";
import { StripeServer } from "../support/stripe/stripe-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { dump } from "./dump.ts";
import { fill, rowsOfOtherServices, settings } from "./fill.ts";

const provider = new ModelProvider();
const receiver = new WebhookReceiver();
const mail = new MailServer();
receiver.start();
await mail.start();
process.env.TOLLGATE_TEST_DATABASE_URL ||= await startPostgres();
const folder = join(import.meta.dir, packageJson.version);
await mkdir(folder, { recursive: true });
for (const engine of engines) {
  const database = await engine.freshDatabase();
  const clock = new FakeClock();
  const stripe = new StripeServer(clock);
  await stripe.start();
  const exports = await temporaryFolder("exports");
  const environment = {
    ...settings,
    TOLLGATE_DNS_SERVERS: "127.0.0.1:9",
    TOLLGATE_EGRESS: "any",
    TOLLGATE_EXPORT_DIR: exports.path,
    TOLLGATE_MAIL_FROM: "no-reply@tollgate.example",
    TOLLGATE_SMTP_URL: mail.url,
    TOLLGATE_STRIPE_URL: stripe.url,
  };
  const server = await startServer(engine, { database, clock, environment });
  const released = await fill(server, { mail, receiver, stripe, provider, exports: exports.path });
  await server.stop();
  await stripe.stop();
  await exports.remove();
  await runSql(database, rowsOfOtherServices);
  await Bun.write(join(folder, `${engine.name}.sql`), await dump(database));
  await Bun.write(join(folder, `${engine.name}.json`), `${JSON.stringify(released, null, 2)}\n`);
  await database.drop();
}
process.exit(0);
