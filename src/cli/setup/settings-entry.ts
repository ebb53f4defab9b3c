/** The place of an entry in a file of settings: the name of a list, such as `mcpServers`, and the name of the entry in it. */
export type EntryPath = { list: string; name: string };

/** Settings that cannot be edited, because they are not what their client reads; the message says where and why. */
export class UnreadableSettings extends Error {
  override name = 'UnreadableSettings';
}
