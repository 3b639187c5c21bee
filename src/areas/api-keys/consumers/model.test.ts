import { expect, test } from "bun:test";
import fc from "fast-check";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { forAtMost } from "../../../../test/support/for-at-most.ts";
import { useServer } from "../../../../test/support/server.ts";

type Tags = Record<string, string | number | boolean>;
type Filter = [name: string, value: string][];

/** The expected contents of a bucket, in the order of creation. */
interface Model {
  consumers: { name: string; tags: Tags }[];
}

interface Real {
  client: Client;
  consumers: string;
}

type Command = fc.AsyncCommand<Model, Real>;

class Create implements Command {
  constructor(
    private readonly name: string,
    private readonly tags: Tags,
  ) {}

  check = () => true;

  async run(model: Model, { client, consumers }: Real): Promise<void> {
    const response = await client.post(consumers, { name: this.name, tags: this.tags });
    if (model.consumers.some(({ name }) => name === this.name)) return expectProblem(response, 409, "consumer_exists");
    expect(response.status).toBe(200);
    model.consumers.push({ name: this.name, tags: this.tags });
  }

  toString = () => `create ${this.name} ${JSON.stringify(this.tags)}`;
}

class ChangeTags implements Command {
  constructor(
    private readonly name: string,
    private readonly tags: Tags | null,
  ) {}

  check = () => true;

  async run(model: Model, { client, consumers }: Real): Promise<void> {
    const response = await client.patch(`${consumers}/${this.name}`, { tags: this.tags });
    const consumer = model.consumers.find(({ name }) => name === this.name);
    if (!consumer) return expectProblem(response, 404, "not_found");
    expect(response.body.tags).toEqual(this.tags ?? undefined);
    consumer.tags = this.tags ?? {};
  }

  toString = () => `change ${this.name} to ${JSON.stringify(this.tags)}`;
}

class Delete implements Command {
  constructor(
    private readonly name: string,
    private readonly condition: Filter,
  ) {}

  check = () => true;

  async run(model: Model, { client, consumers }: Real): Promise<void> {
    const response = await client.delete(`${consumers}/${this.name}?${queryOf(this.condition)}`);
    const consumer = model.consumers.find(({ name }) => name === this.name);
    if (!consumer || !matches(consumer.tags, this.condition)) return expectProblem(response, 404, "not_found");
    expect(response.status).toBe(204);
    model.consumers.splice(model.consumers.indexOf(consumer), 1);
  }

  toString = () => `delete ${this.name} if ${queryOf(this.condition)}`;
}

class List implements Command {
  constructor(
    private readonly filter: Filter,
    private readonly limit: number,
    private readonly offset: number,
  ) {}

  check = () => true;

  async run(model: Model, { client, consumers }: Real): Promise<void> {
    const { limit, offset } = this;
    const { body } = await client.get(`${consumers}?${queryOf(this.filter)}&limit=${limit}&offset=${offset}`);
    const expected = model.consumers.filter(({ tags }) => matches(tags, this.filter));
    const data = body.data.map(({ name, tags = {} }: { name: string; tags?: Tags }) => ({ name, tags }));
    expect({ ...body, data }).toEqual({
      data: expected.slice(offset, offset + limit),
      limit,
      offset,
      total: expected.length,
    });
  }

  toString = () => `list ${queryOf(this.filter)} limit=${this.limit} offset=${this.offset}`;
}

function matches(tags: Tags, filter: Filter): boolean {
  return filter.every(([name, value]) => Object.hasOwn(tags, name) && String(tags[name]) === value);
}

function queryOf(filter: Filter): string {
  return filter.map(([name, value]) => `tag.${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

/** Few of each, so that they collide. */
const name = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const tagName = fc.constantFrom("plan", "x=y");
const tagValue = fc.constantFrom("gold", 5, "5", true, "true", "");
const tags = fc.dictionary(tagName, tagValue, { noNullPrototype: true });
const filter = fc.array(fc.tuple(tagName, tagValue.map(String)), { maxLength: 2 }) as fc.Arbitrary<Filter>;
const limit = fc.integer({ min: 1, max: 9 });

const commands = [
  fc.tuple(name, tags).map(([one, its]) => new Create(one, its)),
  fc.tuple(name, fc.option(tags)).map(([one, its]) => new ChangeTags(one, its)),
  fc.tuple(name, fc.oneof(fc.constant<Filter>([]), filter)).map(([one, condition]) => new Delete(one, condition)),
  fc.tuple(filter, limit, fc.nat({ max: 8 })).map(([by, size, offset]) => new List(by, size, offset)),
];

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("lists agree with a model after any sequence of changes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands, { maxCommands: 60, size: "max" }),
        forAtMost(3000, async (sequence) => {
          const real = { client, consumers: `${newBucketPath()}/consumers` };
          const model: Model = { consumers: [] };
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          await new List([], 1000, 0).run(model, real);
          for (const value of ["gold", "5", "true", ""]) await new List([["plan", value]], 1000, 0).run(model, real);
        }),
      ),
      { numRuns: 60 },
    );
  });
});
