/** An image on its way in: from a folder, an archive or a registry. */
export interface ImageSource {
  /** The bytes of the image's configuration, digest verified. */
  readonly config: Buffer;
  /** Digest of the manifest, where the source has one. */
  readonly manifestDigest: string | undefined;
  /** Makes sure that layer `index` is a file on this machine, and says where. */
  layer(index: number): Promise<string>;
  /** Names that the source gives the image: full references, or bare tags. */
  readonly names: readonly string[];
}
