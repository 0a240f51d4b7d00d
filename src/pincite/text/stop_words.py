"""Words that say nothing about a text but its language, by language (ISO 639-1).

Ukrainian stands with Russian and Persian with Arabic: their words are told from those by nothing.
"""

from __future__ import annotations

_WORDS = {
    "en": """a an and are as at be been but by can could did do does for from had has have how i if
        in into is it its me my of on or our shall should so such that the their them then there
        these they this those to was we were what when where which who whom whose why will with
        would you your""",
    "de": """aber als am an auch auf aus bei bin bis da damit das dass dem den denn der deren des
        dessen die dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer
        eines er es für hat hatte hatten haben ich ihr ihre ihrem ihren ihrer im in ins ist kann
        man mein mir mit nach noch nur ob oder sein seine seinem seinen seiner sich sie sind so
        soll sowie über um und uns unser unter vom von vor war waren warum was welche welchem
        welchen welcher welches wem wen wenn wer werden wessen wie wieso wir wird wo wobei woher
        wohin wurde wurden zu zum zur""",
    "fr": """à afin ai au aux avec avait avaient c'est ce cela ces cet cette ceux comme comment
        d'un d'une dans de des donc dont du elle elles en entre est et étaient était être été eu
        fut il ils je l'on la là le les leur leurs lequel laquelle lors lui mais me même mes moi
        mon ne nos notre nous on ont ou où par pas pour pourquoi qu'est qu'il qu'elle quand que
        quel quelle quelles quels qui quoi sa se sera ses si son sont sous sur ta te tes toi ton tu
        un une vos votre vous y""",
    "es": """a al algo ante antes como cómo con cuál cuáles cuando cuándo cuánto cuántos cuántas de
        del desde donde dónde durante e el él ella ellas ellos en entre era eran es esa ese eso esta
        está están estas este esto estos fue fueron ha han hasta hay la las le les lo los más me mi
        muy ni nos o para pero por porque qué que quién quien quiénes quienes se según ser si sí
        sido sobre son su sus también tan te tiene tienen tu tuvo u un una unas uno unos y ya""",
    "it": """a ad agli ai al alla alle allo anche c'è che chi ci come con cosa cui da dagli dai dal
        dalla dalle de degli dei del dell' dell della delle dello di dov'è dove e è ed era erano
        essere fra fu gli ha hanno i il in io l' la le lei li lo loro lui ma mi nei nel nell' nella
        nelle nello noi o per perché più qual quale quali quando quanti quanto quella quelle quello
        questa queste questi questo se si sia sono sta stata stato su sua sue sugli sui sul sulla
        suo suoi tra tu un una uno voi""",
    "pt": """a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles do dos e é
        ela elas ele eles em entre era eram essa esse esta está estão estas este estes eu foi foram
        há isso isto já lhe mais mas me mesmo meu na nas nem no nos nós num numa o onde os ou para
        pela pelas pelo pelos por porque qual quais quando quantos que quem são se sem ser seu seus
        só sua suas também te tem têm um uma umas uns você""",
    "nl": """aan al als bij daar dan dat de der deze die dit door dus een en er had hadden heb hebben
        heeft het hier hij hoe hun ik in is je kan kon maar me men met mijn na naar nog of om onder
        ons ook op over te tegen tot uit van voor waar waarom wanneer waren was wat welk welke werd
        werden wie wij word worden wordt ze zich zij zijn zo zou zouden zijn'n""",
    "sv": """alla att av bara blev bli blir de dem den denna deras dess det detta dig din du där då
        efter eller en er ett från för ha hade han hans har henne hennes hon honom hur här i inom
        jag kan kunde man med mellan men mig min mot mycket ni nu när någon något några och om oss
        på sedan sig sin sina sitt ska skulle som så till under upp ut utan vad var varför varit
        vem vi vid vilka vilken vilket är över""",
    "da": """af alle at blev blive bliver da de dem den denne der deres det dette dig din du efter
        eller en end er et for fra få ham han hans har havde hende hendes her hun hvad hvem hver
        hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg kan kunne man mange
        med meget mellem men mig min mit mod ned nogen noget nogle nu når og også om op os over på
        sig sin sine sit skal skulle som være var ved vi vil ville være været ud under""",
    "no": """alle at av ble bli blir blitt da de dem den denne der deres det dette deg du eller en
        enn er et etter for fra få ham han hans har hadde henne hennes her hun hva hvem hver hvilke
        hvilken hvilket hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med meg meget
        mellom men min mitt mot mye nå når noe noen og også om opp oss over på seg sin sine sitt
        skal skulle som så til under ut uten var ved vi vil ville vært være""",
    "fi": """että ei eivät en hän hänen he heidän hän ja jo jonka joka joita joiden jos jossa jotka
        jota kanssa ketkä keitä kuin kuinka kuka kun kuten me mihin mikä miksi millä milloin millainen
        minkä minä missä mistä mitä mitkä mutta myös ne niiden niin niitä noin nyt oli olivat ollut
        olla on ovat sekä sen se siinä siitä sinä sitä tai tämä tämän tässä te tuo vai vain voi
        voidaan""",
    "hu": """a az azt azok abban ahol aki akik amely amelyek amelyet ami annak azonban be csak de e
        egy egyik el ez ezek ezt és hanem hány hogy hogyan hol hová ill illetve is ki kik le lesz
        lehet mely melyik melyek meg mert mi miatt miért mikor milyen minden mit mint már nagyon nem
        néhány ő őket ön össze pedig s sem szerint számára után vagy van vannak volt voltak""",
    "ro": """a ai al ale am ar are asupra au avea avut ca că când care către ce cei cel cele celor
        cine cu cui cum dacă dar de decât deci din dintre după ea ei el ele era erau este eu fi fie
        fiind fost i-a îi îl în între într într-o într-un îşi își la le li lor lui mai ne nici noi nu
        o ori pe pentru prin s-a s-au sa să sale sau se și şi sub sunt sunteți te tu un una unde unei
        unor unui va vor""",
    "tr": """ama ancak ben bir biri biz bu bunlar bunu bunun çok daha da de değil diye en gibi göre
        hangi hangisi hem hep her hiç için ile ise kaç kadar kendi ki kim kime kimin kimler mı mi mu
        mü nasıl ne neden nedir nerede nereden nereye niçin niye o olan olarak oldu olduğu olduğunu
        on onlar onu onun sen siz sonra şey şu tarafından tüm var ve veya ya yani""",
    "pl": """a aby albo ale bardzo bez był była było były być bo by co czy czyli dla do gdy gdzie go
        i ich ile im inne ja jak jaka jaki jakie jako je jego jej jest jeszcze już kiedy kim kto która
        które którego której który których którym którzy lub ma mają mi mu na nad nam nas nie nich
        niż o od on ona one oni oraz po pod przed przez przy się są ta tak także te tego tej ten też
        to tych tylko tym u w we z za ze został że""",
    "cs": """a aby ale ani ano asi až bez bude by byl byla byli bylo být co či do ho i já jak jaká
        jaké jaký jako je jeho její jejich jen ještě jejichž již jsem jsme jsou k kam kde kdo kdy
        kolik která které kterého který kterou kteří má mají mezi mu na nad nebo než o od on ona oni
        po pod podle pro proč proto před při s se si své svou ta tak také tato ten této to tohoto tom
        tu tuto ty u v ve z za ze že""",
    "vi": """ai bao bằng bị bởi các cái cả có cho chỉ chính cũng của cùng đã đang đây đến để đó được
        đối gì giữa hay hoặc hơn khi không là lại làm lên mà mình mỗi một nào này nếu như nhưng những
        nhiều nhiêu nơi ở ông qua ra rằng rất rồi sau sẽ số tại thế theo thì trên trong trước từ và
        vào về vì việc với vẫn""",
    "id": """ada adalah agar akan antara apa apakah atas atau bagaimana bagi bahwa banyak beberapa
        berapa bisa dalam dan dapat dari dengan di dia di itu ini jika juga kami kapan karena ke
        kepada kita lain lebih mana mengapa menjadi mereka oleh pada para saat saja salah sangat
        sebagai sebuah sejak seperti serta siapa sudah tahun telah tentang terhadap tersebut tidak
        untuk yaitu yang""",
    "ca": """a al als amb aquest aquesta aquests com d'un d'una de del dels des el els ella ells em en
        entre era eren és està esta estan ets fins fou ha han hi i la les li llavors lo més no o on
        per però perquè pel pels quan quant que què qui quin quina quins quines sa se ser seu seva
        seus si sobre són també te un una uns unes va van""",
    "ru": """а або але без був була були було бути бы был была были было быть в вам вас весь во
        вона вони воно вот все всех всі вы від він где да даже де для до его ее если
        есть еще ещё её же з за зі и из или им их й його к как какая какие какой
        каком кем ким ко когда кого коли которая которого которой которые который
        которых кто ли между мене меня ми мне мой мы між на над нам нас не него нее
        ней нем них но ні о об один однако он она они оно от по под после при про
        під після с сколько скільки со та так также також такой там те тем ти то
        того тоже той только том ты тільки у уже усі хто це цей цього ця ці цієї
        чего чем чи чого чому что чтобы що щоб эта эти этих это этого этой этом этот
        я является як яка яке який яких якого якої які є і із їх її""",
    "el": """από αυτά αυτή αυτό αυτός αυτού για δεν είναι εκ ένα ένας ενός έχει έχουν η ή ήταν και
        κατά με μετά μέχρι μία μια μιας να ο οι όπως όπου όταν ότι πόσα πόσες πόσο πόσοι που ποια ποιες
        ποιο ποιοι ποιος ποιου πού πότε προς πριν πώς σε στα στη στην στις στο στον στους τα τη την της
        τι τις το τον του τους των ως""",
    "ar": """آن آنها أم أن أنه أنها أو أي أين إذا إلى إن از است التي الذي الذين اما ای این با بر
        برای بعد به بها بود بودند بين تا تلك تم ثم حتى حول حيث خود در ذلك را شد شده
        على عليه عليها عن عند في فيه فيها قبل قد كان كانت كل كم كما كيف لا لقد لم
        لماذا لن له لها ما ماذا متى مع من منذ منه منها می ها های هذا هذه هر هل هم هو
        هي و وفي وقد ومن وهو وهي وی يا چرا چند چه چگونه چیست کجا کدام کرد کرده کند
        کنند که کی یا یک""",
    "hi": """अपना अपनी अपने इस इसका इसकी इसके इसे उन उनका उनकी उनके उस उसका उसकी उसके एक और कब कर करता
        करते करना करने कहाँ कहा का कि कितना कितनी कितने किन किया किस किसका किसकी किसके किसने किसी की
        कुछ के को कोई कौन क्या क्यों गया गयी गए जब जहाँ जो तक तो था थी थे द्वारा नहीं ने पर बाद भी में
        यह या ये लिए वह वहाँ वाला वाली वाले वे से साथ हुआ हुई हुए है हैं हो होता होती होते होने""",
}

STOP_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""In lower case, with their accents."""
