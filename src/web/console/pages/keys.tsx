import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Ban, FileUp, KeyRound, Power, ShieldCheck, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import type { ListedApiKey } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { type Column, descriptionColumn, List } from "../../components/table.tsx";
import { DayTime, RelativeTime } from "../../components/time.tsx";
import { shownKey } from "../../lib/format.ts";
import { SelectionBar, selectColumn, useSelection } from "../components/selection.tsx";
import { BucketSelect, useChosenKeyBucket } from "../queries/buckets.tsx";
import { CustomerName, useDisplayNames } from "../queries/display-names.tsx";
import { usePaged } from "../queries/paged.ts";
import { keySearchNames } from "../queries/search-names.ts";
import { useSession } from "../queries/session.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { ExportFile } from "./files/export-file.tsx";
import { ImportFile } from "./files/import-file.tsx";
import { keyFile, keyTable } from "./files/key-file.ts";
import { type BulkAction, BulkKeys, type BulkTarget } from "./keys/bulk-keys.tsx";
import { CheckKey } from "./keys/check-key.tsx";
import { expiries, isFiltered, type KeySearch, listFilterOf, uses, whereOf } from "./keys/filter.ts";
import { KeyRules, KeyState } from "./keys/key-state.tsx";

const route = getRouteApi("/frame/keys");

export function KeysPage() {
  const { api, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/keys" });
  const { buckets, names, bucket } = useChosenKeyBucket(search.bucket);
  const [isChecking, setChecking] = useState(false);
  const [isFromFile, setFromFile] = useState(false);
  const [bulk, setBulk] = useState<{ action: BulkAction; target: BulkTarget }>();
  const { page: _, new: __, ...conditions } = search;
  const name = JSON.stringify(conditions);
  // Days are counted from when the filter was set: pages of one list, and a change of all of it, mean the same keys.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is derived from the conditions
  const where = useMemo(() => whereOf(conditions), [name]);
  const selection = useSelection(`${bucket} ${name}`);
  const filter = listFilterOf(where);
  const keys = usePaged(
    ["keys", bucket, "all", where],
    (api, paging) =>
      api
        .bucketKeys(bucket!)
        .list({ ...filter, ...paging })
        .page(),
    { enabled: bucket !== undefined, placeholderData: keepPreviousData },
  );
  const set = (changes: KeySearch) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...changes }) as typeof old });
  const rows = keys.data?.data;
  const displayNames = useDisplayNames(
    rows?.map(({ consumer }) => consumer.name),
    bucket,
  );
  const total = keys.data?.total ?? 0;
  const start = (action: BulkAction) =>
    setBulk({ action, target: selection.isAll ? { where } : { ids: [...selection.ids] } });
  return (
    <>
      <PageHead
        title="Keys"
        actions={
          bucket && (
            <>
              <AsCommand call={(api) => api.bucketKeys(bucket).list(filter).page()} />
              <ExportFile
                name={`keys-${bucket}.csv`}
                noun="key"
                load={() => keyTable(api.bucketKeys(bucket).list(filter))}
              />
              <Button icon={FileUp} denied={deniedEdit} onClick={() => setFromFile(true)}>
                From a file
              </Button>
              <Button icon={ShieldCheck} denied={deniedEdit} onClick={() => setChecking(true)}>
                Check a key
              </Button>
            </>
          )
        }
      >
        <p>Every key of a bucket, with its consumer and when it was last used.</p>
      </PageHead>
      <KeyFilters search={search} bucket={bucket} names={names} onSearch={set} />
      <List
        caption="Keys"
        of={keys}
        {...keys.paging}
        error={buckets.error}
        columns={columnsOf(bucket ?? "", rows, selection, displayNames.data)}
        isSelected={({ id }) => selection.has(id)}
        onOpen={({ id, consumer }) =>
          navigate({
            to: "/consumers/$bucket/$name",
            params: { bucket: bucket!, name: consumer.name },
            search: { tab: "keys", key: id },
          })
        }
        above={
          <SelectionBar
            selection={selection}
            noun="key"
            count={selection.ids.size}
            total={total}
            canSelectAll={
              total > (rows?.length ?? 0) &&
              (Object.keys(where).length > 0 || "Set a filter to select more than one page.")
            }
          >
            <Button isSmall denied={deniedEdit} onClick={() => start("enable")}>
              <Power size={14} aria-hidden />
              Enable
            </Button>
            <Button isSmall denied={deniedEdit} onClick={() => start("disable")}>
              <Ban size={14} aria-hidden />
              Disable
            </Button>
            <Button isSmall kind="danger" denied={deniedEdit} onClick={() => start("revoke")}>
              <Trash2 size={14} aria-hidden />
              Revoke
            </Button>
          </SelectionBar>
        }
        empty={
          <NoKeys isFiltered={isFiltered(conditions)} onClear={() => set({ ...noFilter, bucket: search.bucket })} />
        }
      />
      {isChecking && bucket && <CheckKey bucket={bucket} onClose={() => setChecking(false)} />}
      {isFromFile && bucket && <ImportFile kind={keyFile(api, bucket)} onClose={() => setFromFile(false)} />}
      {bulk && bucket && (
        <BulkKeys bucket={bucket} {...bulk} onClose={() => setBulk(undefined)} onChanged={selection.clear} />
      )}
    </>
  );
}

const noFilter: KeySearch = Object.fromEntries(keySearchNames.map((name) => [name, undefined]));

function columnsOf(
  bucket: string,
  rows: ListedApiKey[] | undefined,
  selection: ReturnType<typeof useSelection>,
  displayNames: ReadonlyMap<string, string | undefined> | undefined,
): Column<ListedApiKey>[] {
  return [
    selectColumn(selection, {
      all: "Select all keys of this page",
      page: rows?.map(({ id }) => id) ?? [],
      of: ({ id, key }) => ({ id, label: `Select key ${shownKey(key ?? id)}` }),
    }),
    {
      label: "Key",
      render: ({ key, id, consumer }) => (
        <Link
          className="row-link mono"
          to="/consumers/$bucket/$name"
          params={{ bucket, name: consumer.name }}
          search={{ tab: "keys", key: id }}
        >
          {shownKey(key ?? id)}
        </Link>
      ),
    },
    {
      label: "Consumer",
      isText: true,
      render: ({ consumer: { name } }) => (
        <Link title={name} to="/consumers/$bucket/$name" params={{ bucket, name }}>
          <CustomerName name={name} displayName={displayNames?.get(name)} />
        </Link>
      ),
    },
    descriptionColumn({ isMinor: true }),
    { label: "State", isLead: true, render: (key) => <KeyState {...key} /> },
    { label: "Permissions", isText: true, isMinor: true, render: (key) => <KeyRules apiKey={key} /> },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
    { label: "Created", isMinor: true, render: ({ createdOn }) => <DayTime time={createdOn} /> },
    { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
  ];
}

function NoKeys({ isFiltered: hasFilter, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { deniedEdit } = useSession();
  if (hasFilter)
    return (
      <EmptyState icon={KeyRound} title="No key matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        Keys match by up to the last 8 characters of their value, which the mask shows.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={KeyRound}
      title="No keys yet"
      guide="keys"
      action={
        deniedEdit ? (
          <Button kind="primary" denied={deniedEdit}>
            Create a consumer with a key
          </Button>
        ) : (
          <Link className="button" data-kind="primary" to="/consumers" search={{ new: true }}>
            Create a consumer with a key
          </Link>
        )
      }
    >
      Keys belong to consumers. Create a consumer with its first key.
    </EmptyState>
  );
}

interface KeyFiltersProps {
  search: KeySearch;
  bucket: string | undefined;
  names: string[] | undefined;
  onSearch: (changes: KeySearch) => void;
}

function KeyFilters({ search, bucket, names, onSearch }: KeyFiltersProps) {
  const set = (name: keyof KeySearch) => (value: string | undefined) => onSearch({ [name]: value });
  return (
    <FilterBar
      start={<BucketSelect label="Key bucket" value={bucket} names={names} onChange={set("bucket")} />}
      filters={[
        {
          label: "Suffix",
          placeholder: "Ends with: 1b2c3d4e",
          value: search.suffix,
          // The URL contains at most the part of a pasted key that its mask shows.
          onChange: (suffix) => onSearch({ suffix: suffix?.replace(/^(\*+|…)/, "").slice(-8) }),
        },
        { label: "Use", value: search.use, options: uses, onChange: set("use") },
        { label: "Expiry", value: search.expires, options: expiries, onChange: set("expires") },
        {
          label: "State",
          value: search.enabled,
          options: [
            { value: "true", label: "Enabled" },
            { value: "false", label: "Disabled" },
          ],
          onChange: set("enabled"),
        },
        {
          label: "Permission",
          placeholder: "orders:read",
          value: search.permission,
          onChange: set("permission"),
        },
        { label: "Consumer's tag", placeholder: "plan=gold", value: search.tag, onChange: set("tag") },
      ]}
    />
  );
}
