import { useQuery } from "@tanstack/react-query";
import { LoadError, Notice } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { billingProfile } from "../../queries/billing-profile.ts";
import { useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { AsCommand } from "../../shell/requests.tsx";
import { ProfileForm } from "./billing-profile-form.tsx";
import { ProviderForm } from "./payment-provider-form.tsx";

/** The seller that invoices name, and how they are paid. */
export function BillingSettings() {
  const { api } = useSession();
  const profile = useQuery(billingProfile(api));
  return (
    <>
      <Section title="Billing profile" actions={<AsCommand call={(api) => api.billing.profile()} />}>
        {profile.error ? (
          <LoadError error={profile.error} onRetry={() => profile.refetch()} />
        ) : profile.data === undefined ? (
          <SkeletonLines />
        ) : (
          <div className="stack">
            {profile.data === null && (
              <Notice>
                Invoices name a seller. Until the profile is set, they stay drafts; then those that wait are finalized.
              </Notice>
            )}
            <ProfileForm profile={profile.data} />
          </div>
        )}
      </Section>
      <div data-unplaced={profile.isPending || undefined}>
        <Section title="Payment providers">
          <div className="stack">
            <ProviderForm mode="live" />
            <ProviderForm mode="test" />
          </div>
        </Section>
      </div>
    </>
  );
}
