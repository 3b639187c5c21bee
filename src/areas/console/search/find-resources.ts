import { allows } from "../../../core/access.ts";
import { bestFirst, detailOf, type Finder, isFound, type SearchMatch } from "./match.ts";
import type { RouteNames } from "./route-names.ts";
import * as store from "./store.ts";

/** By words of name, project and branch, and by host. */
export const findDeployments: Finder = async (reads, { account, hostOf }, searched) => {
  const rows = await store.deploymentsOf(reads, account.seq);
  const found = rows.filter(({ name, project, branch }) => isFound(searched, [name, hostOf(name), project, branch]));
  return bestFirst(
    searched,
    found.map(({ name, branch }) => ({
      type: "deployment",
      id: name,
      name,
      path: `/v1/deployments/${name}`,
      ...detailOf(branch),
    })),
  );
};

/** By words of path and operation id. A single short word would find most of them. */
export function routeFinder(routeNames: RouteNames): Finder {
  return async (reads, { account }, searched) => {
    if (searched.words.every((word) => word.length < 3) && !searched.text.startsWith("/")) return [];
    const matches: SearchMatch[] = [];
    for (const { deployment, method, path, operationId } of await routeNames.listForAccount(reads, account.seq)) {
      if (!isFound(searched, [path, operationId ?? null, `${method} ${path}`])) continue;
      matches.push({
        type: "route",
        id: `${deployment} ${method} ${path}`,
        name: `${method} ${path}`,
        path: `/v1/deployments/${deployment}/routes`,
        ...detailOf(deployment),
      });
    }
    return bestFirst(searched, matches);
  };
}

/** By words of label and external id, and by id. The name of a plan here is its label if that has one of the words. */
export const findPlans: Finder = async (reads, { account }, searched) => {
  const rows = await store.plansOf(reads, account.seq);
  const found = rows.filter(({ id, label, external_id }) => isFound(searched, [external_id, label, id]));
  return bestFirst(
    searched,
    found.map(({ id, label, external_id, bucket }) => {
      const name = isFound(searched, [external_id]) || !isFound(searched, [label]) ? external_id : label;
      return {
        type: "plan",
        id,
        name,
        displayName: label,
        path: `/v1/metering/${bucket}/plans/${id}`,
        ...detailOf(name === label ? external_id : label),
      };
    }),
  );
};

export const findDomains: Finder = async (reads, { account }, searched) => {
  const rows = await store.domainsOf(reads, account.seq);
  const found = rows.filter(({ id, host }) => isFound(searched, [host, id]));
  const path = `/v1/accounts/${account.name}/domains`;
  return bestFirst(
    searched,
    found.map(({ id, host }) => ({ type: "domain", id, name: host, path: `${path}/${id}` })),
  );
};

/** By words of the address and the description, and by id. */
export const findWebhooks: Finder = async (reads, { account }, searched) => {
  const rows = await store.webhooksOf(reads, account.seq);
  const found = rows.filter(({ id, url, description }) => isFound(searched, [shownUrl(url), description, id]));
  return bestFirst(
    searched,
    found.map(({ id, url, description }) => ({
      type: "webhook",
      id,
      name: shownUrl(url),
      path: `/v1/accounts/${account.name}/webhooks/${id}`,
      ...detailOf(description),
    })),
  );
};

/** A query may contain a secret. */
function shownUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}`;
}

/** Only for those who may list them. */
export const findMembers: Finder = async (reads, { account, caller }, searched) => {
  if (!allows("administer", caller.role)) return [];
  const rows = await store.membersOf(reads, account.seq);
  const found = rows.filter(({ id, email, name }) => isFound(searched, [email, name, id]));
  return bestFirst(
    searched,
    found.map(({ id, email, name, role }) => ({
      type: "member",
      id,
      name: name ?? email,
      path: `/v1/accounts/${account.name}/members/${id}`,
      detail: name ? `${email}, ${role}` : role,
    })),
  );
};

/** By their whole id. */
export const findRequests: Finder = async (reads, { account }, { text }) => {
  if (!/^req_[0-9A-Za-z]{24}$/.test(text)) return [];
  const row = await store.requestOf(reads, account.seq, text);
  if (!row) return [];
  const path = `/v1/accounts/${account.name}/requests/${row.id}`;
  return [{ type: "request", id: row.id, name: row.id, path, detail: `${row.status} ${row.method} ${row.path}` }];
};
