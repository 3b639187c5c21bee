import { expect } from "bun:test";
import type { Client } from "../../test/support/client.ts";
import { account } from "../../test/support/server-settings.ts";
import { until } from "../../test/support/until.ts";
import { verifySignature, WebhookReceiver } from "../../test/support/webhook-receiver.ts";
import { expectStatus } from "../expect-status.ts";
import type { Random } from "../random.ts";
import { posting } from "./consumer-lane.ts";
import { type Attempt, Lane } from "./lane.ts";

const consumers = `/v1/accounts/${account}/key-buckets/webhook-lane/consumers`;
/** A message of a dead node is sent when its lease expires, and a failed one is retried. */
const arriveWithinMs = 45_000;

/** Changes consumers: each acknowledged change causes a message, and all its copies have one webhook-id. */
export class WebhookLane extends Lane {
  readonly #receiver = new WebhookReceiver();
  /** Changes that were acknowledged, by the content of their messages, and have not arrived yet. */
  readonly #expected = new Set<string>();
  /** The webhook-ids of all that arrived. */
  readonly #arrived = new Map<string, Set<string>>();
  #taken = 0;
  #secret = "";
  #names: string[] = [];
  #count = 0;

  constructor(private readonly random: Random) {
    super();
  }

  async open(client: Client): Promise<void> {
    this.#receiver.start();
    const input = { url: this.#receiver.url(), events: ["consumer.*"] };
    this.#secret = (await client.post(`/v1/accounts/${account}/webhooks`, input)).body.secret;
  }

  close(): Promise<void> {
    return this.#receiver.stop();
  }

  /** How many there are. */
  get consumers(): number {
    return this.#names.length;
  }

  get messages(): { arrived: number; repeated: number } {
    return { arrived: this.#taken, repeated: this.#taken - this.#arrived.size };
  }

  protected next(): Attempt {
    const name = this.#names.length === 0 ? undefined : this.random.pick(this.#names);
    if (name === undefined || this.random.chance(0.5)) return this.#create();
    return this.random.chance(0.7) ? this.#update(name) : this.#delete(name);
  }

  async verify(client: Client): Promise<void> {
    await this.retryInDoubt(client);
    const what = () => `webhooks of ${[...this.#expected].slice(0, 5).join("; ")}`;
    await until(() => this.#allArrived(), { withinMs: arriveWithinMs, what });
    for (const [change, ids] of this.#arrived) expect(`${change}: ${ids.size}`).toBe(`${change}: 1`);
  }

  #allArrived(): boolean {
    const { received } = this.#receiver;
    for (const one of received.splice(0)) {
      verifySignature(this.#secret, one);
      const { type, data } = one.message;
      // Other lanes create consumers too, and reuse names.
      if (data.bucket?.name !== "webhook-lane") continue;
      const change = changeOf(type, data.name, data.metadata?.step);
      this.#taken += 1;
      this.#arrived.set(change, (this.#arrived.get(change) ?? new Set()).add(one.id));
      this.#expected.delete(change);
    }
    return this.#expected.size === 0;
  }

  #expect(type: string, name: string, step: number | undefined): void {
    const change = changeOf(type, name, step);
    if (!this.#arrived.has(change)) this.#expected.add(change);
  }

  #create(): Attempt {
    const step = ++this.#count;
    const name = `hooked-${step}`;
    return {
      kind: "consumers with a webhook",
      send: posting(consumers, { name, metadata: { step } }),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        this.#names.push(name);
        this.#expect("consumer.created", name, step);
      },
    };
  }

  /** A retry changes nothing more, but the same step may be announced twice, as two changes. */
  #update(name: string): Attempt {
    const step = ++this.#count;
    let sent = 0;
    return {
      kind: "changes with a webhook",
      send: async (client) => {
        sent += 1;
        if (sent > 1 && (await client.get(`${consumers}/${name}`)).body.metadata.step === step)
          return client.get(`${consumers}/${name}`);
        return client.patch(`${consumers}/${name}`, { metadata: { step } });
      },
      acknowledge: (response) => {
        expectStatus(response, [200]);
        this.#expect("consumer.updated", name, step);
      },
    };
  }

  #delete(name: string): Attempt {
    return {
      kind: "deletions with a webhook",
      send: (client) => client.delete(`${consumers}/${name}`),
      acknowledge: (response, isRetry) => {
        expectStatus(response, isRetry ? [204, 404] : [204]);
        this.#names = this.#names.filter((known) => known !== name);
        this.#expect("consumer.deleted", name, undefined);
      },
    };
  }
}

function changeOf(type: string, name: string, step: number | undefined): string {
  return type === "consumer.deleted" ? `${type} ${name}` : `${type} ${name} ${step}`;
}
