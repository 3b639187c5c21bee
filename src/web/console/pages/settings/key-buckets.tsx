import { Link } from "@tanstack/react-router";
import { Database, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { KeyBucket } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { actionsColumn, type Column, descriptionColumn, List } from "../../../components/table.tsx";
import { DayTime } from "../../../components/time.tsx";
import { useKeyBuckets } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, ConfirmCall } from "../../shell/requests.tsx";
import { Action } from "./action.tsx";
import { NewKeyBucket } from "./new-key-bucket.tsx";

export function KeyBucketSettings() {
  const { deniedEdit } = useSession();
  const buckets = useKeyBuckets();
  const [open, setOpen] = useState<"new" | KeyBucket>();
  const close = () => setOpen(undefined);
  const columns: Column<KeyBucket>[] = [
    {
      label: "Bucket",
      render: ({ name }) => (
        <Link className="row-link" to="/consumers" search={{ bucket: name }}>
          {name}
        </Link>
      ),
    },
    descriptionColumn({ isText: "wide" }),
    { label: "Key prefix", render: ({ keyPrefix }) => <code>{keyPrefix}</code> },
    {
      label: "Values",
      render: ({ isRetrievable }) =>
        isRetrievable ? <Badge>Can be shown again</Badge> : <Badge tone="green">Shown once</Badge>,
    },
    { label: "Created", isMinor: true, render: ({ createdOn }) => <DayTime time={createdOn} /> },
    actionsColumn((bucket) => (
      <Action icon={Trash2} denied={deniedEdit} label={`Delete ${bucket.name}`} onClick={() => setOpen(bucket)} />
    )),
  ];
  return (
    <>
      <ListHead about="Containers for consumers and their keys: one for each API or environment.">
        <AsCommand call={(api) => api.buckets.list().page()} />
        <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={() => setOpen("new")}>
          New bucket
        </Button>
      </ListHead>
      <List
        caption="Key buckets"
        of={buckets}
        columns={columns}
        skeletonRows={2}
        empty={
          <EmptyState icon={Database} title="No key buckets yet" guide="keys#buckets">
            The first consumer creates the bucket main.
          </EmptyState>
        }
      />
      {open === "new" && <NewKeyBucket onClose={close} onCreated={close} />}
      {typeof open === "object" && (
        <ConfirmCall
          title={`Delete bucket ${open.name}?`}
          action={`Delete ${open.name}`}
          typed={open.name}
          call={(api) => api.buckets.delete(open.name, { force: true })}
          onClose={close}
          done={`Bucket ${open.name} deleted`}
        >
          <p>Every consumer and key in it is deleted, and requests with those keys are rejected immediately.</p>
          <p>This cannot be undone.</p>
        </ConfirmCall>
      )}
    </>
  );
}
