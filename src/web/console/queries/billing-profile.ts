import { queryOptions } from "@tanstack/react-query";
import type { Tollgate } from "../../../client/index.ts";

/**
 * The seller that invoices name; null if none is set. The configuration says whether there is one: the browser would log the
 * 404 of a missing profile as an error.
 */
export const billingProfile = (api: Tollgate) =>
  queryOptions({
    queryKey: ["billing-profile"],
    queryFn: async ({ signal }) => {
      const { configuration } = await api.configuration.get({ signal });
      return configuration.billingProfile ? await api.billing.profile({ signal }) : null;
    },
  });
