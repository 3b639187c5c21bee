import { expect } from "bun:test";
import type { Client, ClientResponse } from "../../test/support/client.ts";
import { expectStatus } from "../expect-status.ts";
import type { Random } from "../random.ts";
import { type Attempt, Lane } from "./lane.ts";

const past = "2000-01-01T00:00:00.000Z";
const maxConsumers = 60;

interface ModelKey {
  /** Undefined until it is seen: a roll does not return the value. */
  value: string | undefined;
  expiresOn: string | null;
}

interface ModelConsumer {
  revision: number;
  keys: Map<string, ModelKey>;
}

/** What can be seen of a consumer, in a form to compare. */
type View = { revision: number; keys: Record<string, string | null> };

/** Creates, changes, rolls and deletes consumers and their keys in a separate bucket. */
export class ConsumerLane extends Lane {
  readonly #consumers = new Map<string, ModelConsumer>();
  #count = 0;

  constructor(
    private readonly bucket: string,
    private readonly random: Random,
  ) {
    super();
  }

  protected next(): Attempt {
    const known = [...this.#consumers.keys()];
    if (known.length === 0) return this.#create();
    const name = this.random.pick(known);
    const { keys } = this.#consumers.get(name)!;
    const choices = [
      ...(known.length < maxConsumers ? [this.#create, this.#create] : []),
      this.#makeKeys,
      this.#roll,
      this.#change,
      ...(keys.size > 1 ? [this.#deleteKey] : []),
      this.#delete,
    ];
    return this.random.pick(choices).call(this, name);
  }

  async verify(client: Client): Promise<void> {
    const subject = this.inDoubt?.subject;
    const before = this.#views();
    const found = await this.#stored(client);
    await this.retryInDoubt(client);
    const stored = await this.#stored(client);
    this.#learnValues(stored);
    // After the retry the state is certain, and everything must exist once.
    expect(viewsOf(stored)).toEqual(this.#views());
    // Before it, the uncertain request was either not executed or complete.
    const foundViews = viewsOf(found);
    if (subject !== undefined && Bun.deepEquals(foundViews[subject], this.#views()[subject])) {
      if (foundViews[subject]) before[subject] = foundViews[subject];
      else delete before[subject];
    }
    expect(foundViews).toEqual(before);
    await this.#verifySomeKeys(client);
  }

  get sizes() {
    return {
      consumers: this.#consumers.size,
      keys: [...this.#consumers.values()].reduce((sum, { keys }) => sum + keys.size, 0),
    };
  }

  #create(): Attempt {
    const name = `consumer-${++this.#count}`;
    const body = { name, metadata: { revision: 0 }, apiKeys: [{}], managers: ["jo@acme.example", { sub: "jo" }] };
    return {
      kind: "consumers made with two keys",
      subject: name,
      send: posting(`${this.bucket}/consumers?with-api-key=true`, body),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        expect(response.body.apiKeys).toHaveLength(2);
        this.#consumers.set(name, { revision: 0, keys: new Map() });
        this.#addKeys(name, response.body.apiKeys);
      },
    };
  }

  #makeKeys(name: string): Attempt {
    return {
      kind: "bulks of three keys",
      subject: name,
      send: posting(`${this.bucket}/consumers/${name}/keys/$bulk`, [
        {},
        { description: "second" },
        { expiresOn: past },
      ]),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        expect(response.body.data).toHaveLength(3);
        this.#addKeys(name, response.body.data);
      },
    };
  }

  #roll(name: string): Attempt {
    const expiresOn = this.random.chance(0.5) ? past : "2100-01-01T00:00:00.000Z";
    return {
      kind: "rolls",
      subject: name,
      send: posting(`${this.bucket}/consumers/${name}/roll-key`, { expiresOn }),
      acknowledge: (response) => {
        expectStatus(response, [204]);
        const { keys } = this.#consumers.get(name)!;
        for (const key of keys.values()) key.expiresOn ??= expiresOn;
        keys.set(response.headers.get("location")!.split("/").at(-1)!, { value: undefined, expiresOn: null });
      },
    };
  }

  #change(name: string): Attempt {
    const revision = this.#consumers.get(name)!.revision + 1;
    return {
      kind: "changes",
      subject: name,
      send: (client) => client.patch(`${this.bucket}/consumers/${name}`, { metadata: { revision } }),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        this.#consumers.get(name)!.revision = revision;
      },
    };
  }

  #deleteKey(name: string): Attempt {
    const { keys } = this.#consumers.get(name)!;
    const id = this.random.pick([...keys.keys()]);
    return {
      kind: "keys deleted",
      subject: name,
      send: (client) => client.delete(`${this.bucket}/consumers/${name}/keys/${id}`),
      acknowledge: (response, isRetry) => {
        expectStatus(response, isRetry ? [204, 404] : [204]);
        keys.delete(id);
      },
    };
  }

  #delete(name: string): Attempt {
    return {
      kind: "consumers deleted",
      subject: name,
      send: (client) => client.delete(`${this.bucket}/consumers/${name}`),
      acknowledge: (response, isRetry) => {
        expectStatus(response, isRetry ? [204, 404] : [204]);
        this.#consumers.delete(name);
      },
    };
  }

  #addKeys(name: string, made: { id: string; key: string; expiresOn: string | null }[]): void {
    const { keys } = this.#consumers.get(name)!;
    for (const { id, key, expiresOn } of made) keys.set(id, { value: key, expiresOn });
  }

  async #stored(client: Client): Promise<StoredConsumer[]> {
    const { status, text, body } = await client.get(
      `${this.bucket}/consumers?include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible`,
    );
    expect({ status, text }).toEqual({ status: 200, text });
    expect(body.data).toHaveLength(body.total);
    for (const { managers, managerInvites } of body.data)
      expect([managers.length, managerInvites.length]).toEqual([1, 1]);
    return body.data;
  }

  #views(): Record<string, View> {
    const views = [...this.#consumers].map(([name, { revision, keys }]): [string, View] => [
      name,
      { revision, keys: Object.fromEntries([...keys].map(([id, { expiresOn }]) => [id, expiresOn])) },
    ]);
    return Object.fromEntries(views);
  }

  /** Fails if a value differs from an earlier one. */
  #learnValues(stored: StoredConsumer[]): void {
    for (const { name, apiKeys } of stored) {
      for (const { id, key } of apiKeys) {
        const known = this.#consumers.get(name)?.keys.get(id);
        if (!known) continue;
        known.value ??= key;
        expect(key).toBe(known.value);
      }
    }
  }

  /** verify-key must agree with the list. */
  async #verifySomeKeys(client: Client): Promise<void> {
    const all = [...this.#consumers.values()].flatMap(({ keys }) => [...keys.values()]);
    for (let round = 0; round < Math.min(5, all.length); round++) {
      const { value, expiresOn } = this.random.pick(all);
      const { body } = await client.post(`${this.bucket}/verify-key`, { key: value });
      expect(body.valid).toBe(expiresOn !== past);
    }
  }
}

interface StoredConsumer {
  name: string;
  metadata: { revision: number };
  apiKeys: { id: string; key: string; expiresOn: string | null }[];
}

function viewsOf(stored: StoredConsumer[]): Record<string, View> {
  const views = stored.map(({ name, metadata, apiKeys }): [string, View] => [
    name,
    {
      revision: metadata.revision,
      keys: Object.fromEntries(apiKeys.map(({ id, expiresOn }) => [id, expiresOn])),
    },
  ]);
  return Object.fromEntries(views);
}

/** With a unique Idempotency-Key: a retry has no second effect. */
export function posting(path: string, body: unknown): (client: Client) => Promise<ClientResponse> {
  const key = crypto.randomUUID();
  return (client) => client.post(path, body, { "idempotency-key": key });
}
