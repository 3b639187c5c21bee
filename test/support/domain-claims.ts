import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import { strangerOf } from "./callers.ts";
import type { Client } from "./client.ts";
import { type DomainBody, domainsPath, settledDomain, useDns } from "./domains.ts";
import type { Engine } from "./engines.ts";
import { callHost, type Deployed, deploy, requestUpload } from "./project.ts";
import { useServer } from "./server.ts";
import { echoUpstream, versionOf } from "./versioned-project.ts";

/** A server with a deployment in each of two accounts, and a DNS server whose records prove the claims of domains. */
export function useDomainClaims(engine: Engine) {
  const path = domainsPath();
  const upstream = echoUpstream();
  afterAll(() => upstream.stop(true));
  let deployed: Deployed;
  let stranger: Client;
  let strangersDeployment: string;
  const { dns, environment } = useDns({
    TOLLGATE_PUBLIC_URL: "https://manage.example.com",
    TOLLGATE_ALLOWED_HOSTS: "manage.internal",
    TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
    TOLLGATE_EGRESS: "any",
  });
  const server = useServer(engine, { environment });
  const { client, clock } = server;
  const strangers = `domains-${engine.name}`;
  const strangersPath = domainsPath(strangers);

  beforeAll(async () => {
    deployed = await deploy(server, { project: "shop", branch: "main" }, versionOf(upstream, "one"));
    stranger = await strangerOf(client, strangers);
    await requestUpload(stranger, { accountName: strangers, project: "other", branch: "main" });
    strangersDeployment = (await stranger.get(`/v1/deployments?accountName=${strangers}`)).body.data[0].name;
  });
  beforeEach(() => dns.clear());

  let count = 0;
  const newHost = () => `api-${++count}.acme.example`;
  /** The check runs right after a claim: whether it sees records that are set after the claim depends on timing. */
  const firstCheck = (by: Client, at: string) =>
    settledDomain(by, at, ({ checkedOn }) => checkedOn !== undefined, "the first check");
  const claim = async (host: string): Promise<DomainBody> => {
    const { status, body, text } = await client.post(path, { host, deploymentName: deployed.name });
    expect({ status, text }).toEqual({ status: 200, text });
    await firstCheck(client, `${path}/${body.id}`);
    return body;
  };
  const claimAsStranger = async (host: string): Promise<DomainBody> => {
    const { body } = await stranger.post(strangersPath, { host, deploymentName: strangersDeployment });
    await firstCheck(stranger, `${strangersPath}/${body.id}`);
    return body;
  };
  const proofOf = ({ dns: [record] }: DomainBody) => [record.name, record.value] as const;
  const prove = (domain: DomainBody) => dns.add("TXT", ...proofOf(domain));
  const withdraw = (domain: DomainBody) => dns.remove("TXT", ...proofOf(domain));
  /** Checks the domain once more, and returns it. */
  const checked = async (domain: DomainBody, by = client, at = path): Promise<DomainBody> => {
    await firstCheck(by, `${at}/${domain.id}`);
    clock.advance(5_001);
    expect((await by.post(`${at}/${domain.id}/check`)).status).toBe(200);
    const now = clock.iso();
    return settledDomain(by, `${at}/${domain.id}`, ({ checkedOn }) => checkedOn === now, "a check");
  };
  const activated = async (host: string) => {
    const domain = await claim(host);
    prove(domain);
    const active = await checked(domain);
    expect(active.status).toBe("active");
    return active;
  };
  const statusAt = async (host: string) => (await callHost(server.url, host, "/forwarded")).status;

  return {
    ...{ server, client, clock, dns, path, upstream, strangers, strangersPath, newHost, claim, claimAsStranger },
    ...{ proofOf, prove, withdraw, checked, activated, statusAt },
    get deployed() {
      return deployed;
    },
    get stranger() {
      return stranger;
    },
  };
}
