"""The words of generated roots. Common ones stand first: how often a word is drawn falls with its place in its list."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


NOUNS = _words(
    """
service request error config server user file test build release cluster key value table cache queue job database
query client node worker token version timeout script index deploy log schema message session branch host endpoint
response header volume backup replica certificate path commit pipeline package module limit policy role account
image container disk memory thread process socket port proxy gateway balancer router domain record zone lease lock
transaction migration column row field type default flag option secret credential permission group team owner ticket
incident alert dashboard metric counter histogram sample trace span threshold baseline budget window interval
schedule retry attempt backoff failure crash leak regression bug patch fix workaround review approval merge conflict
tag artifact registry mirror repository checkout submodule dependency lockfile compiler linker warning assertion
fixture mock stub suite coverage benchmark profile sampler heap stack frame pointer buffer stream batch chunk page
cursor offset partition shard leader follower quorum election heartbeat clock timestamp timezone locale encoding
charset byte character string regex parser lexer grammar template renderer view form button dialog menu screen
widget layout font icon theme colour keyboard shortcut terminal shell prompt alias variable environment runtime
interpreter kernel driver firmware device sensor battery adapter cable rack switch subnet address tunnel firewall
rule packet checksum signature digest salt cipher handshake nonce payload attachment envelope webhook callback
listener subscriber publisher topic broker consumer producer event handler middleware decorator plugin extension
hook wrapper facade factory iterator generator coroutine future promise scheduler executor pool semaphore mutex
barrier invoice payment refund ledger balance currency price discount coupon order cart shipment parcel customer
merchant tenant subscription plan quota receipt tax region country language translation glossary document section
paragraph heading footnote citation appendix diagram chart report summary export import upload download archive
snapshot bucket object manifest catalogue inventory asset thumbnail preview video caption transcript feed newsletter
mailbox sender recipient inbox folder label filter search ranking score embedding vector model checkpoint gradient
dataset annotation notebook experiment seed parameter estimate forecast outlier cohort calendar meeting agenda
minute decision rota shift handover runbook playbook checklist postmortem apology escalation vendor contract licence
audit compliance retention erasure consent cookie banner tracker referrer redirect sitemap robot crawler spider
scraper captcha throttle burst spike surge drift skew lag jitter latency throughput bandwidth capacity headroom
watermark eviction tombstone compaction vacuum reindex rebuild rollback rollout canary toggle killswitch breaker
fallback degrade quarantine sandbox staging production nightly daemon cron unit symlink inode mount filesystem
journal superblock sector bootloader initrd hypervisor guest pod sidecar ingress egress namespace taint affinity
operator hypothesis invariant
"""
)
VERBS = _words(
    """
use return need read write fail set run keep check start stop send drop load call retry create delete update change
expect ignore accept reject store open close wait match skip copy move add remove show hide handle raise block allow
break fix cause report mention require support serve build deploy test review merge revert restore restart reload
refresh rotate renew expire revoke grant inherit override replace rename resolve redirect forward proxy cache evict
flush compact rebuild migrate truncate append split join sort filter group count sum sample measure estimate compare
validate verify sign encrypt decrypt hash encode decode parse render format escape quote strip trim pad round clamp
limit throttle queue schedule dispatch publish consume acknowledge poll watch notify alert escalate page mask redact
audit log trace profile debug reproduce bisect isolate mock stub patch pin upgrade downgrade install provision scale
drain cordon fence elect promote demote replicate shard partition balance route connect disconnect reconnect listen
bind mount unmount archive export import upload download sync mirror clone fork rebase squash tag release ship
announce document translate explain confirm approve deny postpone assume trust doubt prefer avoid forget remember
overlook confuse swallow leak hang stall crash panic recover degrade overflow wrap drift lag spike double halve
reorder duplicate collide starve outlive shadow mangle corrupt
"""
)
ADJECTIVES = _words(
    """
new old first last same wrong right empty full slow fast large small long short open local remote public private
internal external default optional required missing stale fresh cold warm hot dirty clean broken stable unstable
primary secondary manual automatic nightly weekly daily hourly monthly temporary permanent shared exclusive global
legacy current previous next pending failed successful partial complete duplicate unique nested flat sparse dense
signed unsigned encrypted plain binary textual numeric decimal negative positive random sorted unsorted ordered
concurrent parallel serial synchronous asynchronous idempotent atomic durable volatile persistent transient
immutable mutable lazy eager strict lenient verbose quiet silent noisy flaky deterministic reproducible portable
native generic specific explicit implicit redundant obsolete deprecated experimental undocumented misleading
harmless dangerous expensive cheap idle busy healthy degraded unreachable orphaned detached dangling circular
recursive trailing leading upstream downstream regional european japanese quarterly historical anonymous privileged
minimal maximal typical rare
"""
)
ADVERBS = _words(
    """
only always never still again already silently often sometimes usually once twice later early directly manually
automatically immediately eventually rarely first together separately locally remotely safely quietly exactly
roughly nearly briefly constantly explicitly implicitly correctly wrongly partly fully blindly deliberately
"""
)
PLACES = _words(
    """
in on for from with under behind before after during without between inside across against above below near until
"""
)
LINKS = _lines(
    """
because
when
so
but
and
if
unless
while
although
since
until
after
before
whenever
even though
as long as
except when
"""
)
PATTERNS = _lines(
    """
the {n} {v} the {n} {p} the {n}
{name} {v} the {n}
the {a} {n} {d} {v} {p} the {n}
{name} {v} a {a} {n} {p} {host}
{base} the {n} {p} the {a} {n}
do not {base} the {n}
the {n} {n} of {name} is {a}
{host} {v} {n}s {p} port {port}
{name} {version} {v} the {n} {d}
{base} {path} {p} the {n} {n}
we {base} the {n} {p} {number} {unit}
the {n} is {a} and the {n} is {a}
the {n} in {path} {d} {v} {n}s
a {n} of more than {number} {unit} {v} the {n}
set {variable} to {number}
{person} said that the {n} {v} {name}
{person} prefers {a} {n}s
it {d} {v} the {n} of the {n}
run {command} on {host}
the {a} {n} {v} {number} {n}s at a time
{n}s are {d} {a} {p} the {n} {n}
{variable} is {a} on {host}
nobody {v} the {n} {p} {name}
no {n} {v} {p} the {a} {n}
error {code} means that the {n} {v} the {n}
"""
)
CHINESE_NOUNS = _words(
    """
服务 请求 配置 错误 接口 用户 数据 文件 日志 测试 环境 版本 缓存 队列 任务 节点 数据库 查询 客户端 脚本 索引 消息
会话 分支 主机 端口 响应 请求头 卷 备份 副本 证书 路径 提交 流水线 依赖 模块 上限 策略 角色 账号 镜像 容器 磁盘 内存
线程 进程 套接字 代理 网关 负载均衡 路由 域名 解析记录 租约 锁 事务 迁移 字段 表 行 类型 默认值 开关 选项 密钥 凭据
权限 用户组 团队 负责人 工单 事故 告警 看板 指标 计数器 采样 链路 阈值 基线 预算 窗口 间隔 计划 重试 退避 故障 崩溃
泄漏 回归 缺陷 补丁 评审 审批 合并 冲突 标签 制品 仓库 子模块 锁文件 编译器 警告 断言 夹具 覆盖率 基准 堆 栈 指针
缓冲区 流 批次 分页 游标 偏移 分区 分片 主库 从库 选举 心跳 时钟 时间戳 时区 编码 字符 字符串 正则 解析器 模板 页面
表单 按钮 弹窗 菜单 布局 字体 主题 快捷键 终端 变量 解释器 内核 驱动 固件 设备 传感器 网卡 机柜 交换机 子网 地址
隧道 防火墙 规则 数据包 校验和 签名 摘要 握手 载荷 附件 回调 订阅 发布者 消费者 生产者 事件 插件 钩子 包装器 调度器
线程池 信号量 发票 支付 退款 账本 余额 币种 价格 优惠券 订单 购物车 包裹 商户 租户 套餐 配额 收据 地区 语言 译文
术语表 文档 章节 图表 报表 导出文件 归档 快照 存储桶 对象 清单 资产 缩略图 视频 字幕 邮箱 发件人 收件人 文件夹 搜索
排序 向量 模型 提示词 检查点 数据集 标注 实验 参数 预测 日历 会议 决定 值班表 交接 手册 复盘 供应商 合同 许可证 审计
保留期 同意书 爬虫 验证码 限流 突发流量 延迟 吞吐 带宽 容量 水位 淘汰 压缩 回滚 灰度 熔断 降级 沙箱 预发 生产环境
守护进程 定时任务 软链接 挂载点 文件系统 扇区 虚拟机 命名空间 约定 假设 不变量
"""
)
CHINESE_VERBS = _words(
    """
使用 返回 需要 读取 写入 设置 运行 保留 检查 启动 停止 发送 丢弃 加载 调用 重试 创建 删除 更新 修改 忽略 接受 拒绝
保存 打开 关闭 等待 匹配 跳过 复制 移动 添加 移除 显示 隐藏 处理 抛出 阻塞 允许 破坏 修复 导致 上报 要求 支持 构建
部署 评审 合并 撤销 恢复 重启 刷新 轮换 续期 吊销 授予 继承 覆盖 替换 重命名 解析 转发 缓存 淘汰 压缩 重建 迁移 截断
追加 拆分 排序 过滤 分组 统计 采样 测量 比较 校验 签署 加密 解密 编码 解码 渲染 转义 去掉 补齐 取整 限制 节流 调度
分发 发布 消费 确认 轮询 监听 通知 升级 屏蔽 记录 追踪 复现 隔离 锁定 降级 安装 扩容 排空 选出 提升 同步 均衡 连接
断开 绑定 挂载 归档 导出 导入 上传 下载 克隆 打包 公告 翻译 解释 批准 推迟 信任 怀疑 避免 忘记 混淆 吞掉 泄漏 卡住
崩溃 溢出 漂移 打乱 重复 抢占 拖慢 损坏
"""
)
CHINESE_ADJECTIVES = _words(
    """
新的 旧的 空的 错误的 同一个 过期的 本地 远程 公共 私有 内部 外部 默认 可选 缺失的 冷 热 脏 不稳定的 主要 备用 手工
自动 夜间 每周 每天 临时 永久 共享 独占 全局 遗留 当前 上一个 下一个 待处理的 失败的 部分 完整 重复的 唯一 嵌套 稀疏
已签名的 加密的 明文 二进制 随机 有序 并发 串行 异步 幂等 原子 持久 只读 严格 宽松 安静的 嘈杂的 可复现的 通用 隐式
多余的 废弃的 实验性的 昂贵的 空闲 繁忙 健康 孤立的 循环 上游 下游 季度 匿名 特权
"""
)
CHINESE_PATTERNS = _lines(
    """
{N}会{V}{A}{N}
{name}的{N}{V}{N}
{A}{N}只能由{person}{V}
不要在{N}里{V}{N}
先{V}{N},再{V}{N}
{host}上的{N}每{number}分钟{V}一次
{name}升级到{version}以后,{N}不再{V}{N}
{N}和{N}都要{V}
{person}说{A}{N}不用{V}
{path}里的{N}是{A}{N}
超过{number}个{N}时{N}就{V}
把{variable}设成{number}才能{V}{N}
{N}的{N}没有人{V}
只在{A}{N}上{V}{N}
端口{port}留给{N}
{V}之前要通知{person}
错误{code}表示{N}没有{V}
{N}变慢多半是{N}在{V}{N}
"""
)
CHINESE_LINKS = _words("因为 所以 但是 而且 否则 如果 除非 虽然 因此 之后 同时 这样")
PEOPLE = _words("ana bob 林 chen dora emil farah 周 goran hana ivo 王 jun kofi lena 吴 mira nils")
UNITS = _words("seconds minutes hours days requests rows files retries MB items bytes pages")
SYLLABLES = _words(
    """
ba be bi bo bra ca co da de do dra el fa fe fi ga go gra ha he ho in ja ka ke ko la le li lo lu ma me mi mo na ne no
or pa pe pi po qua ra re ri ro sa se si so ta te ti to tra va ve vi vo wa xe ya za zo zu
"""
)
TRADES = _words(
    """
api web sync ingest worker db proxy cli ui auth mail feed core lab bot hub store gate
"""
)
