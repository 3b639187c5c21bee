import type { Reads } from "../../../platform/storage/storage.ts";
import { findConsumers, findInvoices, findKeys, findSubscriptions } from "./find-customers.ts";
import {
  findDeployments,
  findDomains,
  findMembers,
  findPlans,
  findRequests,
  findWebhooks,
  routeFinder,
} from "./find-resources.ts";
import {
  type Finder,
  foundTypes,
  maxResults,
  rank,
  type Searched,
  type SearchMatch,
  type SearchScope,
  searchedFor,
} from "./match.ts";
import type { RouteNames } from "./route-names.ts";

/** The results of one type, before further ones may displace those of other types. */
const share = 5;

const finders: Record<Exclude<SearchMatch["type"], "route">, Finder> = {
  consumer: findConsumers,
  deployment: findDeployments,
  plan: findPlans,
  subscription: findSubscriptions,
  invoice: findInvoices,
  key: findKeys,
  domain: findDomains,
  webhook: findWebhooks,
  member: findMembers,
  request: findRequests,
};

/**
 * Returns resources by words, ids and the like: ordered by type, but types with an exact match first, and those with no
 * name that begins so last. With typos only if nothing was found without.
 */
export async function search(
  reads: Reads,
  scope: SearchScope,
  text: string,
  routeNames: RouteNames,
): Promise<SearchMatch[]> {
  const all = { ...finders, route: routeFinder(routeNames) };
  const searched = searchedFor(text);
  const found = await find(searched);
  return found.length > 0 || searched.words.length === 0 ? found : find({ ...searched, hasTypos: true });

  async function find(searched: Searched): Promise<SearchMatch[]> {
    const found: { matches: SearchMatch[]; order: number }[] = [];
    for (const type of foundTypes) {
      const matches = await all[type](reads, scope, searched);
      // Names that begin so and names with a word that does so are in the order of their types.
      const order = matches[0] ? [0, 1, 1, 2][rank(searched, matches[0])]! : 0;
      if (matches.length > 0) found.push({ matches, order });
    }
    // Sorting is stable.
    return shared(found.sort((one, other) => one.order - other.order).map(({ matches }) => matches));
  }
}

/** The best of each type, and more of the first. */
function shared(found: SearchMatch[][]): SearchMatch[] {
  let room = maxResults - found.reduce((sum, matches) => sum + Math.min(share, matches.length), 0);
  return found
    .flatMap((matches) => {
      const more = Math.min(Math.max(0, room), Math.max(0, matches.length - share));
      room -= more;
      return matches.slice(0, share + more);
    })
    .slice(0, maxResults);
}
