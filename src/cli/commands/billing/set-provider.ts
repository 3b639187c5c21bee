import { readFile } from "node:fs/promises";
import { flag, named, oneOf, option, optionOr, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Set how invoices are paid from now on",
  details:
    "manual: you mark them as paid. sandbox: payment methods without money, for tests. stripe: Stripe collects them; its credentials are " +
    "read from files; without one of the files, the stored credential is kept. Another type erases them.",
  arguments: {},
  options: {
    mode: optionOr("whose invoices: test is for test buckets, live for all others", "live", oneOf("live", "test")),
    type: requiredOption("the provider", oneOf("manual", "sandbox", "stripe")),
    secretKeyFile: option("a file with the secret key of Stripe", named("FILE")),
    webhookSecretFile: option("a file with the signing secret of the webhook endpoint at Stripe", named("FILE")),
    force: flag("leave Stripe even if it has invoices that are not finished, which it keeps charging for"),
  },
  examples: [{ command: "tollgate billing set-provider --mode test --type manual", text: "For test buckets." }],
  async call(client, { mode, type, secretKeyFile, webhookSecretFile, force }) {
    const secretKey = await contentOf(secretKeyFile);
    const webhookSecret = await contentOf(webhookSecretFile);
    return client.billing.setProvider(mode, type, {
      ...(secretKey === undefined ? {} : { secretKey }),
      ...(webhookSecret === undefined ? {} : { webhookSecret }),
      ...(force ? { force } : {}),
    });
  },
  show: showFields,
});

async function contentOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
