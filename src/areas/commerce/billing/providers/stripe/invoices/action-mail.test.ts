import { expect, test } from "bun:test";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { useMailServer } from "../../../../../../../test/support/mail-server.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import { until } from "../../../../../../../test/support/until.ts";

eachEngine((engine) => {
  const { server: smtp, environment } = useMailServer();
  const scene = useStripeScene(engine, environment);

  test("a customer whose bank requires a second step gets one mail with the page of the invoice", async () => {
    const { client, server, stripe, remoteOf, later } = scene;
    stripe.book.defaultMethod = methods.needsAction;
    const bucket = await newMeteringBucket(client);
    const email = `billing@${engine.name}.example`;
    // The customer exists from the first subscription on.
    await subscribe(client, bucket, [await createPlan(client, bucket)]);
    await ok(client.patch(`${bucket}/customers/acme`, { email }));
    await subscribe(client, bucket, [await createPlan(client, bucket, monthly("30.00"))]);
    await server.catchUp();
    await until(() => smtp.to(email).length > 0, { what: () => "a mail" });
    const [invoice] = await invoicesOf(client, bucket);
    const [mail] = smtp.to(email);
    expect(mail).toMatchObject({
      subject: "Confirm your payment of 30.00 EUR",
      url: remoteOf(invoice.id).hosted_invoice_url!,
    });
    expect(mail!.text).toContain(invoice.number);
    await later();
    expect(smtp.to(email)).toHaveLength(1);
  });
});
