import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  Operations,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookReplay,
  WebhookReplayed,
  WebhookUpdate,
  WebhookWithSecret,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

type DeliveryQuery = NonNullable<Operations["listWebhookDeliveries"]["query"]>;

export interface DeliveryOptions extends RequestOptions {
  /** The number of newest deliveries; 100 by default, at most 1000. */
  limit?: number;
  /** The id of a delivery: returns older ones. */
  before?: string;
  status?: WebhookDelivery["status"];
  type?: DeliveryQuery["type"];
}

/** Webhooks: URLs that receive events. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All webhooks of the account, without their secrets.
   *
   * @example
   * ```ts
   * for await (const webhook of client.webhooks.list()) console.log(webhook.url, webhook.isEnabled);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Webhook> {
    return this.#transport.list("listWebhooks", { call: {}, paging: options });
  }

  /**
   * Creates a webhook. Only this response contains its secret.
   *
   * @example
   * ```ts
   * const { secret } = await client.webhooks.create({ url: "https://acme.example/webhooks", events: ["key.*"] });
   * ```
   */
  create(webhook: WebhookCreate, options?: CreateOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("createWebhook", { body: webhook, options });
  }

  /**
   * One webhook.
   *
   * @example
   * ```ts
   * const { isEnabled, disabledReason } = await client.webhooks.get("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("getWebhook", { params: { webhookId: id }, options });
  }

  /**
   * Changes a webhook. `isEnabled: true` enables a disabled webhook again.
   *
   * @example
   * ```ts
   * await client.webhooks.update("hook_0QGzNqW81Kx8VhTb3mPcRdZu", { events: ["*"], isEnabled: true });
   * ```
   */
  update(id: string, changes: WebhookUpdate, options?: ChangeOptions): Promise<Webhook> {
    return this.#transport.call("updateWebhook", { params: { webhookId: id }, body: changes, options });
  }

  /**
   * Deletes a webhook with its deliveries.
   *
   * @example
   * ```ts
   * await client.webhooks.delete("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteWebhook", { params: { webhookId: id }, options });
  }

  /**
   * Creates a new secret. The old one also signs during the grace period, a day by default.
   *
   * @example
   * ```ts
   * const { secret } = await client.webhooks.rotateSecret("hook_0QGzNqW81Kx8VhTb3mPcRdZu", { graceSeconds: 3600 });
   * ```
   */
  rotateSecret(
    id: string,
    { graceSeconds, ...options }: { graceSeconds?: number } & CreateOptions = {},
  ): Promise<WebhookWithSecret> {
    return this.#transport.call("rotateWebhookSecret", { params: { webhookId: id }, body: { graceSeconds }, options });
  }

  /**
   * Sends a message of type `webhook.test`. Returns its pending delivery.
   *
   * @example
   * ```ts
   * const { id } = await client.webhooks.test("hook_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  test(id: string, options?: CreateOptions): Promise<WebhookDelivery> {
    return this.#transport.call("testWebhook", { params: { webhookId: id }, body: {}, options });
  }

  /**
   * The newest deliveries of a webhook, newest first.
   *
   * @example
   * ```ts
   * const failed = await client.webhooks.deliveries("hook_0QGzNqW81Kx8VhTb3mPcRdZu", { status: "failed" });
   * ```
   */
  async deliveries(
    id: string,
    { limit, before, status, type, ...options }: DeliveryOptions = {},
  ): Promise<WebhookDelivery[]> {
    const call = { params: { webhookId: id }, query: { limit, before, status, type }, options };
    return (await this.#transport.call("listWebhookDeliveries", call)).data;
  }

  /**
   * One delivery with its request and attempts.
   *
   * @example
   * ```ts
   * const { attemptLog } = await client.webhooks.delivery("hook_0QGzNqW81Kx8VhTb3mPcRdZu", "dlvr_0QGzNqW81Kx8VhTb3mPcRdZu");
   * for (const { status, error, response } of attemptLog) console.log(status ?? error, response);
   * ```
   */
  delivery(id: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDeliveryDetail> {
    return this.#transport.call("getWebhookDelivery", { params: { webhookId: id, deliveryId }, options });
  }

  /**
   * Attempts a delivery again now, and restarts the schedule of retries.
   *
   * @example
   * ```ts
   * await client.webhooks.retry("hook_0QGzNqW81Kx8VhTb3mPcRdZu", "dlvr_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  retry(id: string, deliveryId: string, options?: CreateOptions): Promise<WebhookDelivery> {
    return this.#transport.call("retryWebhookDelivery", { params: { webhookId: id, deliveryId }, body: {}, options });
  }

  /**
   * Sends the messages of a time range again, including those missed while the webhook was disabled.
   *
   * @example
   * ```ts
   * const range = { from: "2026-01-30T00:00:00Z", to: "2026-01-31T00:00:00Z" };
   * const { deliveries } = await client.webhooks.replay("hook_0QGzNqW81Kx8VhTb3mPcRdZu", range);
   * ```
   */
  replay(id: string, range: WebhookReplay, options?: CreateOptions): Promise<WebhookReplayed> {
    return this.#transport.call("replayWebhook", { params: { webhookId: id }, body: range, options });
  }
}
