import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Tabs } from "../../components/tabs.tsx";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { BillingSettings } from "./settings/billing.tsx";
import { IssuerSettings } from "./settings/issuers.tsx";
import { KeyBucketSettings } from "./settings/key-buckets.tsx";
import { PeopleSettings } from "./settings/people.tsx";
import { PortalSettings } from "./settings/portal.tsx";
import { SessionSettings } from "./settings/sessions.tsx";
import { SystemSettings } from "./settings/system.tsx";
import { TokenSettings } from "./settings/tokens.tsx";

const route = getRouteApi("/frame/settings");

export function SettingsPage() {
  const { account, canAdminister } = useSession();
  const { tab = canAdminister ? "people" : "tokens" } = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="Settings">
        <p>Of the account {account}, and of this server.</p>
      </PageHead>
      <Tabs
        value={tab}
        onChange={(next) => navigate({ to: "/settings", search: { tab: next } })}
        tabs={[
          { value: "people", label: "People", content: () => <PeopleSettings /> },
          { value: "tokens", label: "Tokens", content: () => <TokenSettings /> },
          { value: "issuers", label: "Trusted issuers", content: () => <IssuerSettings /> },
          { value: "buckets", label: "Key buckets", content: () => <KeyBucketSettings /> },
          { value: "portal", label: "Portal", content: () => <PortalSettings /> },
          { value: "billing", label: "Billing", content: () => <BillingSettings /> },
          { value: "sessions", label: "Sessions", content: () => <SessionSettings /> },
          { value: "system", label: "System", content: () => <SystemSettings /> },
        ]}
      />
    </>
  );
}
