import { afterAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { deploy } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { echoUpstream, versionWithCode } from "../../../../test/support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const token = "metrics-token-of-the-tests-1a2b3c";
  const server = useServer(engine, { environment: { TOLLGATE_METRICS_TOKEN: token } });

  /** The metrics of a deployment, from `name labels` to the value. */
  async function seriesOf(deployment: string): Promise<Map<string, number>> {
    const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    const lines = text.split("\n").filter((line) => line.includes(`deployment="${deployment}"`));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
  }

  test("requests are counted by deployment, route and status, and forgotten with the deployment", async () => {
    const one = await deploy(server, { project: "metrics", branch: "main" }, versionWithCode(upstream, "one"));
    const other = await deploy(server, { project: "metrics", branch: "other" }, versionWithCode(upstream, "one"));
    const calls = ["/forwarded", "/forwarded", "/handled", "/nothing", "/nothing/else"];
    for (const path of calls) await one.call(path);
    await one.call("/forwarded", { method: "POST" });
    await other.call("/forwarded");

    const series = await seriesOf(one.name);
    const requests = (route: string, status: number) =>
      series.get(`tollgate_gateway_requests_total{deployment="${one.name}",route="${route}",status="${status}"}`);
    expect(requests("/forwarded", 200)).toBe(2);
    expect(requests("/handled", 200)).toBe(1);
    // Unknown paths are one series, however many there are.
    expect(requests("unknown", 404)).toBe(2);
    expect(requests("unknown", 405)).toBe(1);
    expect(series.get(`tollgate_gateway_request_duration_seconds_count{deployment="${one.name}"}`)).toBe(6);

    const withoutToken = await (await fetch(`${server.url}/metrics`)).text();
    expect(withoutToken).toContain('tollgate_gateway_requests_total{status="200"} 4');
    for (const name of [one.name, other.name, "/forwarded"]) expect(withoutToken).not.toContain(name);

    await server.client.delete(`/v1/deployments/${one.name}`);
    expect([...(await seriesOf(one.name)).keys()]).toEqual([]);
    expect((await seriesOf(other.name)).size).toBeGreaterThan(0);
  });
});
