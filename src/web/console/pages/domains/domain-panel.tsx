import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, RotateCw, Split, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Domain } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { Facts } from "../../../components/facts.tsx";
import { ErrorNotice, LoadError, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { statusOf } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { AsCommand, ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";
import { DeploymentsField, deploymentsOf, mountOptions } from "./deployments-field.tsx";
import { DomainStatus } from "./status.tsx";

const lookAgainMs = 2000;

/** A domain: the DNS records to set, which of them were found, and its certificate. Polls while that may change. */
export function DomainPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { deniedEdit } = useSession();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const domain = useRead(["domains", id], (api, { signal }) => api.domains.get(id, { signal }), {
    // A domain that does not exist will not appear under the same id.
    refetchInterval: ({ state: { error } }) => (statusOf(error) === 404 ? false : lookAgainMs),
  });
  const check = useCall({ call: (api) => api.domains.check(id), done: "The records are being looked up" });
  const { data } = domain;
  return (
    <SidePanel
      isWide
      title={<span className="mono">{data?.host ?? "Domain"}</span>}
      onClose={onClose}
      actions={
        data && (
          <>
            <AsCommand
              call={(api) => api.domains.get(id)}
              more={[{ title: "Check now", call: (api) => api.domains.check(id) }]}
            />
            <Button icon={RotateCw} denied={deniedEdit} isBusy={check.isPending} onClick={() => check.mutate()}>
              Check now
            </Button>
            <Button icon={Split} denied={deniedEdit} onClick={() => setEditing(true)}>
              Deployments
            </Button>
            <Button icon={Trash2} kind="danger" denied={deniedEdit} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </>
        )
      }
    >
      {check.error && <ErrorNotice error={check.error} />}
      {domain.error && !data ? (
        <LoadError error={domain.error} />
      ) : !data ? (
        <SkeletonLines count={5} />
      ) : (
        <DomainState domain={data} />
      )}
      {isEditing && data && <EditMounts domain={data} onClose={() => setEditing(false)} />}
      {isDeleting && data && (
        <ConfirmCall
          action={`Delete ${data.host}`}
          call={(api) => api.domains.delete(id)}
          onClose={() => setDeleting(false)}
          done={`${data.host} deleted`}
          onDone={() => {
            onClose();
            queries.removeQueries({ queryKey: ["domains", id] });
          }}
        >
          <p>
            Requests to it stop immediately. The deployment keeps its own address. The DNS records are yours to remove.
          </p>
        </ConfirmCall>
      )}
    </SidePanel>
  );
}

function DomainState({ domain }: { domain: Domain }) {
  const { status, message, deploymentName, mounts, certificate, checkedOn, expiresOn, dns } = domain;
  return (
    <div className="stack">
      {message && <Notice kind={status === "failing" ? "error" : "warning"}>{message}</Notice>}
      <Facts
        of={{
          Status: <DomainStatus status={status} />,
          [mounts ? "Deployments" : "Deployment"]: mounts ? (
            <ul className="plain-list" aria-label="Mounts">
              {mounts.map((mount) => (
                <li key={mount.path}>
                  <code>{mount.path}</code> <DeploymentLink name={mount.deploymentName} />
                  {mount.stripPath && <span className="muted"> without the path</span>}
                </li>
              ))}
            </ul>
          ) : (
            <DeploymentLink name={deploymentName} />
          ),
          Certificate: certificate ? (
            <>
              By {certificate.issuer}, expires <RelativeTime time={certificate.expiresOn} />
            </>
          ) : (
            "None from this server"
          ),
          "Last looked up": checkedOn ? <RelativeTime time={checkedOn} /> : "Not yet",
          "Deleted if not proven": expiresOn && <RelativeTime time={expiresOn} />,
        }}
      />
      <h3>DNS records to set</h3>
      {dns.map((record) => (
        <DnsRecord key={record.type} record={record} />
      ))}
    </div>
  );
}

function DeploymentLink({ name }: { name: string }) {
  return (
    <Link to="/deployments/$name" params={{ name }}>
      {name}
    </Link>
  );
}

const purposes = { TXT: "proves that the host is yours", CNAME: "routes requests to the server" };

function DnsRecord({ record: { type, name, value, isSeen } }: { record: Domain["dns"][number] }) {
  const copied = (what: string, text: string) => (
    <span className="row">
      <code className="wrap-anywhere">{text}</code>
      <CopyButton text={text} label={`Copy the ${what} of the ${type} record`} />
    </span>
  );
  return (
    <section className="card stack" aria-label={`${type} record`}>
      <div className="row row-between row-wrap">
        <span>
          <strong>{type}</strong> <span className="muted">{purposes[type]}</span>
        </span>
        <span className="row muted">
          {isSeen ? <CircleCheck size={16} aria-hidden /> : <CircleDashed size={16} aria-hidden />}
          {isSeen ? "Found" : "Not found yet"}
        </span>
      </div>
      <Facts
        of={{
          Name: copied("name", name),
          Value: copied("value", value),
        }}
      />
    </section>
  );
}

interface Props {
  domain: Domain;
  onClose: () => void;
}

/** Changes the deployments of a domain. */
function EditMounts({ domain, onClose }: Props) {
  const [mounts, setMounts] = useState(domain.mounts ?? [{ path: "/", deploymentName: domain.deploymentName }]);
  const body = deploymentsOf(mounts);
  const save = useCall({
    call: (api) => api.domains.update(domain.id, body),
    done: "Deployments saved",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Deployments of ${domain.host}`}
      mutation={save}
      submit="Save deployments"
      disabled={mounts.some(({ path }) => path === "")}
      onClose={onClose}
      footStart={
        <CopyAs call={save.call} command={command("domains", "update", domain.host, ...mountOptions(mounts))} />
      }
    >
      <p className="muted">The longest path that matches a request wins. The change applies to the next request.</p>
      <DeploymentsField mounts={mounts} errors={save.errors} onChange={setMounts} />
    </FormDialog>
  );
}
