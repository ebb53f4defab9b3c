/** First words of function names that read as verbs: the base form, the third person of predicates, and what is/has/can questions begin with. */
export const VERBS: ReadonlySet<string> = new Set(
  `
abort accept accrue accumulate acquire act adapt add adjust admit adopt advance advertise aggregate align allocate allow allows
analyze annotate answer append apply approve are arm arrange ask assemble assert assign attach audit authenticate authorize await
balance batch begin bill bind blend boost bounce break build bundle buy cache calculate calibrate call can cancel cap capitalize
capture carry cast catch chain change charge check choose chunk cite claim clamp classify claw clean clear clip clone close coalesce
coerce collapse collect combine commit compact compare compensate compile complain complete compose compress compute concat
concatenate configure confirm connect consume contains continue convert copy correct could count covers crawl create crop cross cut
damp deactivate debate debit debounce decide decline decode decompress decorate decrypt deduct dedupe deduplicate defer define delay
delegate delete deliver demote deny derive describe deserialize destroy detach detect determine dial did diff differs dilute disable
discard disconnect dismiss dispatch dispose distribute divide do does downgrade downsample drain draw drop dump edit embed emit
emphasize enable enclose encode encrypt end enforce enlarge enqueue enrich ensure enter enumerate equals erase escape establish
estimate evaluate evict examine exchange exclude execute exhaust exist exists exit expand expect expire explain export expose extend
extract fail fall fence fetch fetches fill filter finalize find finish fire fit flag flatten flip flush fold follow forbid force
forget fork format forward free freeze fulfil fuse gate gather generate get give go grant greet group grow guard guess handle hang
has hash have hedge help hide highlight hint hit hoist hold hydrate hyphenate identify ignore implement import impose include
includes increase increment indent index infer inflate inform inherit init initialize inject insert inspect install instantiate
interleave intern interpolate interpret interrupt intersect invalidate invert invoke is isolate issue iterate join judge jump keep
keeps kill label launch lay lead learn leave lend let lex lift limit linearize link list listen load locate lock log look lookup
lose lower mail maintain make manage map mark mask match matches may mean measure memoize merge migrate mirror mix modify monitor
mount move multiply must mute name narrow navigate need needs negotiate nest normalise normalize notify obey obfuscate observe
obtain occurs offer omit open optimize order overlap override own pace pack pad paginate paint pair paraphrase parse partition pass
patch pause pay peek peel percolate perform permits persist pick pin ping pipe place plan play pluck poll pop populate post postpone
pour predict prefer prefix prepare prepend prescan preserve press prevent price print prioritize probe proceed process produce
promise promote prompt propagate propose protect prove provide proxy prune publish pull purge push put qualify quantize queue
quicken quit quote raise rank rasterize rate reach react read reassign rebuild recall receive reclaim recognize recompute reconcile
reconnect reconstruct record recover recycle redact redeem redirect redo reduce refer refetch refill refine refresh refund refuse
register reject relate relax relay release relink reload remap remember remove rename render renew reopen reorder repair repeat
replace replay reply report represent request requeue require rerank rescale reschedule reseed resend reserve reset resolve respects
respond restart restore restrict restyle resubmit resume retain rethrow retire retrieve retry return reuse revalidate reverse revert
review revise revisit revoke rewind rewrite roll rollback rotate round route run sample sanitize satisfies saturate save scale scan
scatter schedule score scrape scrub seal search see seed seek segment select sell send separate serialize serve set settle share
shed shift shorten should show shrink shuffle shut sign signal simplify simulate singularize skip sleep slice smooth snap sniff
solve sort spawn spell spend splice split spread squash stage stamp start starts stem step stitch stop store stream stretch
stringify strip submit subscribe substitute subsume subtract suggest sum summarize supports suppress swap sweep switch sync
synthesize tabulate tag take talk tally tear tell terminate test throttle throw tidy tie tighten tile tokenize touch trace track
train transcode transcribe transfer transform translate transpose traverse treat trigger trim truncate try turn unbold undo unescape
unfold unfreeze unhide unify unindent uninstall union unlink unload unlock unmark unmount unpack unpause unquote unroll unseal unset
unsort unstack unsubscribe unwrap update upgrade upload use uses vacuum validate verify view visit vote wait wake walk want wants
warm warn was wash watch weigh weight were widen will wipe withdraw withhold would wrap write yield zip
`
    .trim()
    .split(/\s+/),
);
