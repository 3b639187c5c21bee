import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Globe, Plus } from "lucide-react";
import { useState } from "react";
import type { Domain, Mount } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { bindInput, TextField } from "../../components/field.tsx";
import { EmptyState, Notice } from "../../components/notice.tsx";
import { type Column, List } from "../../components/table.tsx";
import { DayTime, RelativeTime } from "../../components/time.tsx";
import { errorAt } from "../../lib/errors.ts";
import { command } from "../../lib/shell.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { PanelLink, usePanel } from "../shell/panel-links.tsx";
import { AsCommand, CopyAs, useCall } from "../shell/requests.tsx";
import { DeploymentsField, deploymentsOf, mountOptions, useDeployments } from "./domains/deployments-field.tsx";
import { DomainPanel } from "./domains/domain-panel.tsx";
import { DomainStatus } from "./domains/status.tsx";

const route = getRouteApi("/frame/domains");

export function DomainsPage() {
  const { canEdit, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/domains" });
  const domains = useRead(["domains"], (api, { signal }) => api.domains.list({ signal }).all(), {
    refetchInterval: 10_000,
  });
  const panel = usePanel("domain");
  const add = () => navigate({ search: { new: true } });
  const close = () => navigate({ search: {} });
  const columns: Column<Domain>[] = [
    {
      label: "Host",
      isText: "wide",
      render: ({ id, host }) => (
        <PanelLink panel="domain" id={id} className="mono" title={host}>
          {host}
        </PanelLink>
      ),
    },
    { label: "Status", isLead: true, render: ({ status }) => <DomainStatus status={status} /> },
    {
      label: "Deployment",
      isText: true,
      render: ({ deploymentName, mounts = [] }) => (
        <span
          title={mounts.map(({ path, deploymentName }) => `${path} ${deploymentName}`).join(", ") || deploymentName}
        >
          {deploymentName}
          {mounts.length > 1 && <span className="muted"> and {mounts.length - 1} more</span>}
        </span>
      ),
    },
    {
      label: "Certificate expires",
      isMinor: true,
      render: ({ certificate }) => certificate && <RelativeTime time={certificate.expiresOn} />,
    },
    { label: "Added", render: ({ createdOn }) => <DayTime time={createdOn} /> },
  ];
  return (
    <>
      <PageHead
        title="Domains"
        actions={
          <>
            <AsCommand call={(api) => api.domains.list().page()} />
            <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={add}>
              Add domain
            </Button>
          </>
        }
      >
        <p>Your own hosts, served by deployments.</p>
      </PageHead>
      <List
        caption="Domains"
        of={domains}
        columns={columns}
        panel={panel}
        skeletonRows={3}
        empty={
          <EmptyState
            icon={Globe}
            title="No domains yet"
            guide="domains"
            action={
              <Button kind="primary" denied={deniedEdit} onClick={add}>
                Add the first domain
              </Button>
            }
          >
            Serve a deployment at an address such as api.acme.example. You set two DNS records; the rest happens by
            itself.
          </EmptyState>
        }
      />
      {panel.shown && <DomainPanel id={panel.shown} onClose={panel.close} />}
      {search.new && canEdit && <NewDomain onClose={close} onCreated={(id) => panel.open(id)} />}
    </>
  );
}

interface Props {
  onClose: () => void;
  onCreated: (id: string) => void;
}

function NewDomain({ onClose, onCreated }: Props) {
  const [host, setHost] = useState("");
  const [chosen, setChosen] = useState<Mount[]>();
  const deployments = useDeployments();
  const mounts = chosen ?? [{ path: "/", deploymentName: deployments.data?.[0]?.name ?? "" }];
  const isIncomplete = host === "" || mounts.some(({ path, deploymentName }) => path === "" || deploymentName === "");
  const body = { host, ...deploymentsOf(mounts) };
  const create = useCall({ call: (api) => api.domains.create(body), onSuccess: ({ id }) => onCreated(id) });
  return (
    <FormDialog
      title="Add a domain"
      mutation={create}
      submit="Add domain"
      disabled={isIncomplete}
      onClose={onClose}
      footStart={<CopyAs call={create.call} command={command("domains", "add", host, ...mountOptions(mounts))} />}
    >
      <TextField
        label="Host"
        isMono
        placeholder="api.acme.example"
        {...bindInput(host, setHost, errorAt(create.errors, "/host"))}
      />
      <DeploymentsField mounts={mounts} errors={create.errors} onChange={setChosen} />
      <Notice>
        {deployments.data?.length === 0
          ? "There is no deployment yet. Deploy one first."
          : "Next you get two DNS records to set. Requests are routed once the first one is found."}
      </Notice>
    </FormDialog>
  );
}
