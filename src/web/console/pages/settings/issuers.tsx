import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { TrustedIssuer } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { useRead } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, ConfirmCall } from "../../shell/requests.tsx";
import { Action } from "./action.tsx";
import { IssuerForm } from "./issuer-form.tsx";

type Open = { what: "new" } | { what: "edit" | "delete"; issuer: TrustedIssuer };

/** CI services and other providers whose tokens are exchanged for tokens of the account. */
export function IssuerSettings() {
  const [open, setOpen] = useState<Open>();
  const issuers = useRead(["trusted-issuers"], (api, { signal }) => api.trustedIssuers.list({ signal }).all());
  const close = () => setOpen(undefined);
  const columns: Column<TrustedIssuer>[] = [
    {
      label: "Subject",
      render: ({ subject, issuer }) => (
        <span className="row">
          <span className="mono strong truncate">{subject}</span>
          <span className="muted truncate">{new URL(issuer).host}</span>
        </span>
      ),
    },
    {
      label: "Access",
      render: ({ role, environments }) => (
        <span className="row">
          <Badge tone="grey">{role}</Badge>
          {environments.map((type) => (
            <Badge key={type} tone={type === "PRODUCTION" ? "green" : "amber"}>
              {type === "PRODUCTION" ? "Production" : "Previews"}
            </Badge>
          ))}
        </span>
      ),
    },
    { label: "Project", render: ({ project }) => project ?? <span className="muted">All</span> },
    {
      label: "Branch from",
      isMinor: true,
      render: ({ branchClaim }) => branchClaim ?? <span className="muted">–</span>,
    },
    actionsColumn((issuer) => (
      <>
        <Action icon={Pencil} label={`Edit ${issuer.subject}`} onClick={() => setOpen({ what: "edit", issuer })} />
        <Action icon={Trash2} label={`Delete ${issuer.subject}`} onClick={() => setOpen({ what: "delete", issuer })} />
      </>
    )),
  ];
  const newButton = (
    <Button icon={Plus} kind="primary" onClick={() => setOpen({ what: "new" })}>
      Trust issuer
    </Button>
  );
  return (
    <>
      <ListHead about="CI services whose jobs deploy with a 15-minute token instead of a stored secret.">
        <AsCommand call={(api) => api.trustedIssuers.list().page()} />
        {issuers.data?.length !== 0 && newButton}
      </ListHead>
      <List
        caption="Trusted issuers"
        of={issuers}
        columns={columns}
        skeletonRows={3}
        empty={
          <EmptyState icon={KeyRound} title="No trusted issuers yet" guide="ci" action={newButton}>
            Let GitHub Actions, GitLab or another CI service deploy without a secret that could leak.
          </EmptyState>
        }
      />
      {open?.what === "new" && <IssuerForm onClose={close} />}
      {open?.what === "edit" && <IssuerForm issuer={open.issuer} onClose={close} />}
      {open?.what === "delete" && (
        <ConfirmCall
          title={`Stop trusting ${open.issuer.subject}?`}
          action="Stop trusting"
          call={(api) => api.trustedIssuers.delete(open.issuer.id)}
          onClose={close}
          done="Trusted issuer deleted"
        >
          <p>Its jobs get no more tokens, and the tokens that they have stop working immediately.</p>
        </ConfirmCall>
      )}
    </>
  );
}
