import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";

export type TaxBehavior = PortalPlans["taxBehavior"];

/** What a price says about tax. Nothing if there is none. */
export function TaxNote({ tax }: { tax: TaxBehavior | undefined }) {
  if (tax === undefined) return null;
  return <span className="muted small"> {tax === "inclusive" ? "incl. tax" : "plus tax"}</span>;
}
