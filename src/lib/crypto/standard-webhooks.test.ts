import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { generateWebhookSecret, signatures, verificationError } from "./standard-webhooks.ts";

const body = '{"type":"key.rolled","data":{"name":"Zoë"}}';
const now = Math.floor(Date.now() / 1000);

test("the reference library verifies our signatures, with either secret", () => {
  const secrets = [generateWebhookSecret(), generateWebhookSecret()];
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(now),
    "webhook-signature": signatures(secrets, "msg_1", now, body),
  };
  for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(generateWebhookSecret()).verify(body, headers)).toThrow();
});

test("we verify signatures of the reference library", () => {
  const secret = generateWebhookSecret();
  const signature = new Webhook(secret).sign("msg_1", new Date(now * 1000), body);
  const request = { id: "msg_1", timestamp: String(now), signature, body };
  expect(verificationError(secret, request, now)).toBeUndefined();
  expect(verificationError(secret, { ...request, signature: `v1,other ${signature}` }, now)).toBeUndefined();
  expect(verificationError(secret, { ...request, body: `${body} ` }, now)).toContain("no signature");
  expect(verificationError(secret, { ...request, id: "msg_2" }, now)).toContain("no signature");
  expect(verificationError(secret, { ...request, id: null }, now)).toContain("missing");
  expect(verificationError(secret, request, now + 301)).toContain("5 minutes");
  expect(verificationError(generateWebhookSecret(), request, now)).toContain("no signature");
});
