import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ApiKey } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Copyable } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { EmptyState, ErrorNotice, LoadError, Notice } from "../../components/notice.tsx";
import { type Column, Pager, pageSize, Table } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { BucketSelect, useChosenKeyBucket } from "../queries/buckets.tsx";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { KeyState } from "./consumers/key-state.tsx";

const route = getRouteApi("/frame/keys");

type Row = ApiKey & { consumer: string };

export function KeysPage() {
  const { api, canEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/keys" });
  const { buckets, names, bucket } = useChosenKeyBucket(search.bucket);
  const [isChecking, setChecking] = useState(false);
  const page = search.page ?? 1;
  const keys = useQuery({
    queryKey: ["keys", bucket, "all", page],
    queryFn: async ({ signal }) => {
      const options = { includeApiKeys: true, limit: pageSize, offset: (page - 1) * pageSize, signal };
      const { data, total } = await api.consumers(bucket!).list(options).page();
      const rows = data.flatMap(({ name, apiKeys = [] }) => apiKeys.map((key): Row => ({ ...key, consumer: name })));
      return { rows, total };
    },
    enabled: bucket !== undefined,
    placeholderData: keepPreviousData,
  });
  const error = buckets.error ?? keys.error;
  const columns: Column<Row>[] = [
    { label: "Key", render: ({ key, id }) => <span className="mono">{key ?? id}</span> },
    {
      label: "Consumer",
      render: ({ consumer }) => (
        <Link className="row-link" to="/consumers/$bucket/$name" params={{ bucket: bucket!, name: consumer }}>
          {consumer}
        </Link>
      ),
    },
    { label: "Description", render: ({ description }) => description },
    { label: "State", render: (key) => <KeyState {...key} /> },
    { label: "Created", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
    { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
    { label: "Id", render: ({ id }) => <Copyable text={id} /> },
  ];
  return (
    <>
      <PageHead
        title="Keys"
        actions={
          canEdit &&
          bucket && (
            <Button onClick={() => setChecking(true)}>
              <ShieldCheck size={16} aria-hidden />
              Check a key
            </Button>
          )
        }
      >
        <p>Every key of a bucket, with whom it belongs to.</p>
      </PageHead>
      <div className="filters">
        <BucketSelect
          label="Key bucket"
          value={bucket}
          names={names}
          onChange={(name) => navigate({ search: { bucket: name } })}
        />
      </div>
      {error ? (
        <LoadError error={error} onRetry={() => keys.refetch()} />
      ) : keys.data?.rows.length === 0 && keys.data.total <= pageSize ? (
        <EmptyState
          icon={<KeyRound size={20} aria-hidden />}
          title="No keys yet"
          action={
            canEdit && (
              <Link className="button" data-kind="primary" to="/consumers" search={{ new: true }}>
                Create a consumer with a key
              </Link>
            )
          }
        >
          Keys belong to consumers. Create one and it gets its first key.
        </EmptyState>
      ) : (
        <>
          <Table
            caption="Keys"
            columns={columns}
            rows={keys.data?.rows}
            keyOf={({ id }) => id}
            onOpen={({ consumer }) =>
              navigate({ to: "/consumers/$bucket/$name", params: { bucket: bucket!, name: consumer } })
            }
          />
          {(keys.data?.total ?? 0) > pageSize && (
            <Pager
              page={page}
              total={keys.data?.total}
              onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
            />
          )}
        </>
      )}
      {isChecking && bucket && <CheckKey bucket={bucket} onClose={() => setChecking(false)} />}
    </>
  );
}

const reasons: Record<string, string> = {
  malformed: "This is no key of this service: its checksum is wrong. A character may be missing.",
  not_found: "No consumer of this bucket has this key. It may have been deleted or rolled.",
  expired: "The key has expired.",
};

/** Whose key it is and whether it is good: for the key that a customer complains about. */
function CheckKey({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const { api } = useSession();
  const [key, setKey] = useState("");
  const check = useMutation({ mutationFn: () => api.verifyKey(bucket, key.trim()) });
  return (
    <Dialog
      title="Check a key"
      onClose={onClose}
      onSubmit={() => check.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="primary" isBusy={check.isPending} disabled={key.trim() === ""}>
            Check
          </Button>
        </>
      }
    >
      {check.error && <ErrorNotice error={check.error} />}
      <TextField
        label="Key"
        isMono
        type="password"
        autoComplete="off"
        hint={`As a gateway would check it, in the bucket ${bucket}.`}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      {check.data?.valid === true && (
        <Notice kind="success">
          Good. It belongs to{" "}
          <Link to="/consumers/$bucket/$name" params={{ bucket, name: check.data.consumer.name }}>
            {check.data.consumer.name}
          </Link>
          {check.data.expiresOn ? (
            <>
              {" "}
              and expires <RelativeTime time={check.data.expiresOn} />.
            </>
          ) : (
            " and does not expire."
          )}
        </Notice>
      )}
      {check.data?.valid === false && <Notice kind="error">{reasons[check.data.code] ?? check.data.code}</Notice>}
    </Dialog>
  );
}
