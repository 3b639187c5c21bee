import { expect, test } from "bun:test";
import { useDomainClaims } from "../../../../test/support/domain-claims.ts";
import { settledDomain } from "../../../../test/support/domains.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { tableContent } from "../../../../test/support/table-content.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const domains = useDomainClaims(engine);
  const { server, client, clock, dns, path, newHost, claim, prove, withdraw, checked, activated, statusAt } = domains;

  test("without its record it is failing and served for seven days, then a claim again", async () => {
    const host = newHost();
    const domain = await activated(host);
    withdraw(domain);
    const failing = await checked(domain);
    expect(failing).toMatchObject({ status: "failing", dns: [{ isSeen: false }, {}] });
    expect(failing.message).toBe(
      `There is no TXT record _tollgate.${host}. Requests are served until ${clock.iso(7 * day)}, and after that only if the record exists again.`,
    );
    expect(await statusAt(host)).toBe(200);
    clock.advance(7 * day - 10_000);
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    expect(await statusAt(host)).toBe(200);
    clock.advance(5_000);
    expect(await checked(domain)).toMatchObject({ status: "pending", expiresOn: clock.iso(7 * day) });
    expect(await statusAt(host)).toBe(421);
    prove(domain);
    expect(await checked(domain)).toMatchObject({ status: "active" });
    expect(await statusAt(host)).toBe(200);
  });

  test("a record that returns in time ends the failure, and the next failure has a new grace period of seven days", async () => {
    const domain = await activated(newHost());
    for (let round = 0; round < 2; round++) {
      withdraw(domain);
      expect(await checked(domain)).toMatchObject({ status: "failing" });
      clock.advance(6 * day);
      prove(domain);
      expect(await checked(domain)).toMatchObject({ status: "active" });
    }
  });

  test("DNS servers that fail change nothing, and are queried again", async () => {
    const pending = await claim(newHost());
    const domain = await activated(newHost());
    dns.trouble = "failure";
    for (const each of [domain, pending]) {
      const looked = await checked(each);
      expect(looked.status).toBe(each.status);
      expect(looked.message).toContain("DNS gave no usable response");
    }
    expect(await statusAt(domain.host)).toBe(200);
    withdraw(domain);
    dns.trouble = "none";
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    dns.trouble = "failure";
    clock.advance(8 * day);
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    expect(await statusAt(domain.host)).toBe(200);
  });

  test("it is checked soon, then less often, and daily once it is active", async () => {
    const host = newHost();
    const { id } = await claim(host);
    const lookups = () => dns.queries.filter((query) => query === `TXT _tollgate.${host}`).length;
    await settledDomain(client, `${path}/${id}`, ({ checkedOn }) => checkedOn !== undefined);
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      const before = (await client.get(`${path}/${id}`)).body.checkedOn;
      const { next_check_on: next } = await dueOf(id);
      waits.push((next - Date.parse(before)) / 1000);
      clock.set(new Date(next - 1).toISOString());
      clock.advance(1);
      await settledDomain(client, `${path}/${id}`, ({ checkedOn }) => checkedOn !== before);
    }
    expect(waits).toEqual([5, 10, 30, 60, 120, 300, 600, 1800, 3600, 3600]);
    expect(lookups()).toBe(11);
    prove((await client.get(`${path}/${id}`)).body);
    const active = await checked({ id });
    expect(((await dueOf(id)).next_check_on - Date.parse(active.checkedOn)) / day).toBe(1);
  });

  async function dueOf(id: string): Promise<{ next_check_on: number }> {
    const row = (await tableContent(server.database, "domains")).find((each) => each.id === id)!;
    return { next_check_on: Number(row.next_check_on) };
  }
});
