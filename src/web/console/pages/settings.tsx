import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import { EmptyState, SkeletonLines } from "../../components/notice.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { settingsPages } from "../shell/settings-pages.ts";
import { BillingSettings } from "./settings/billing.tsx";
import { IssuerSettings } from "./settings/issuers.tsx";
import { KeyBucketSettings } from "./settings/key-buckets.tsx";
import { PeopleSettings } from "./settings/people.tsx";
import { PortalSettings } from "./settings/portal.tsx";
import { SessionSettings } from "./settings/sessions.tsx";
import { SystemSettings } from "./settings/system.tsx";
import { TokenSettings } from "./settings/tokens.tsx";

const ExportSettings = lazy(() => import("./settings/exports.tsx"));

const route = getRouteApi("/frame/settings");

const contents: Record<(typeof settingsPages)[number]["value"], () => ReactNode> = {
  people: () => <PeopleSettings />,
  tokens: () => <TokenSettings />,
  issuers: () => <IssuerSettings />,
  buckets: () => <KeyBucketSettings />,
  portal: () => <PortalSettings />,
  billing: () => <BillingSettings />,
  exports: () => (
    <Suspense fallback={<SkeletonLines />}>
      <ExportSettings />
    </Suspense>
  ),
  sessions: () => <SessionSettings />,
  system: () => <SystemSettings />,
};

export function SettingsPage() {
  const { account, canAdminister, deniedAdminister, isLimited } = useSession();
  const { tab = canAdminister ? "people" : "tokens" } = route.useSearch();
  const shown = settingsPages.filter((page) => !isLimited || "isForProjects" in page);
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="Settings">
        <p>Of the account {account}, and of this server.</p>
      </PageHead>
      <Tabs
        value={tab}
        onChange={(next) => navigate({ to: "/settings", search: { tab: next } })}
        tabs={shown.map((page) => ({
          value: page.value,
          label: page.label,
          content:
            canAdminister || !("isForAdmins" in page)
              ? contents[page.value]
              : () => (
                  <EmptyState icon={Lock} title={`${page.label} are shown to admins`}>
                    {deniedAdminister}
                  </EmptyState>
                ),
        }))}
      />
    </>
  );
}
